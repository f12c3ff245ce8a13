//! `arenite generate`, with models of `ARENITE_SHARED` or `../shared`, if they are at hand.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arenite_litertlm::{Affixes, Kind, Message, Metadata, Pair, Part, Token, write};
use serde_json::{Value, json};

use crate::{fail, json, path, stderr, stdout, succeed};

// A model of arenite-language's tests.
#[path = "../../../common/language/tests/session/tiny.rs"]
#[allow(dead_code)]
mod tiny;

fn model() -> Option<String> {
    let named = std::env::var_os("ARENITE_SHARED").map(PathBuf::from);
    let shared = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let file = shared.join("language/llama2c_260k_f32_ekv256.tflite");
    file.is_file().then(|| file.display().to_string())
}

#[test]
fn tokens_are_continued() {
    let Some(model) = model() else { return };
    assert_eq!(succeed(&["generate", &model, "--ids", "1", "-n", "8"]), "461,461,401,401,401,461,378,455\n");
    let report = json(&["generate", &model, "--ids", "1,461", "-n", "9", "--stop-ids", "378,7", "--json"]);
    let turn = &report["turns"][0];
    assert_eq!((&turn["ids"], &turn["end"]), (&json!([461, 401, 401, 401, 461, 378]), &json!("stop id")));
    assert_eq!((&report["capacity"], &report["vocabulary"]), (&json!(256), &json!(512)));
    assert_eq!((&turn["prefill"]["tokens"], &turn["decode"]["tokens"]), (&json!(2), &json!(5)));
    let chosen = |seed: &str| {
        succeed(&[
            "generate",
            &model,
            "--ids",
            "1",
            "-n",
            "9",
            "--temperature",
            "1",
            "--top-k",
            "40",
            "--seed",
            seed,
        ])
    };
    assert_eq!(chosen("1"), chosen("1"));
    assert_ne!(chosen("1"), chosen("2"));
}

#[test]
fn each_line_continues_the_conversation() {
    let Some(model) = model() else { return };
    let program = Command::new(env!("CARGO_BIN_EXE_arenite"))
        .args(["generate", &model, "-n", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut program = program.expect("the program starts");
    let mut lines = program.stdin.take().expect("it is piped");
    lines.write_all(b"1\n401,401 401\n").expect("it reads");
    drop(lines);
    let output = program.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // 1 461 461 | 401 401 401 461 378 | 455
    let whole = succeed(&["generate", &model, "--ids", "1,461,461,401,401,401", "-n", "2"]);
    assert_eq!(stdout(&output), format!("461,461\n{whole}"));
    assert_eq!(whole, "461,378\n");
    // The token that was chosen last, and three that were given: nothing runs twice.
    assert!(stderr(&output).contains("prefill: 4 tokens"), "{}", stderr(&output));
}

#[test]
fn other_models_and_wrong_tokens_are_refused() {
    let digits = path("digits_f32.tflite");
    fail(&["generate", &digits, "--ids", "1"], 1, &["digits_f32.tflite", "no signature 'decode'"]);
    let Some(model) = model() else { return };
    fail(&["generate", &model, "--ids", "1,512"], 1, &["token 512 does not exist", "has 512"]);
    fail(&["generate", &model, "--ids", "1,x"], 2, &["invalid value 'x'"]);
    fail(&["generate", &model, "--ids", "1", "--top-p", "2"], 1, &["top_p is 2", "at most 1"]);
    let many = vec!["1"; 257].join(",");
    fail(&["generate", &model, "--ids", &many], 1, &["257 tokens do not fit", "256 positions"]);
}

/// A tokenizer with the 512 tokens of the model: bytes, and nothing that is longer.
fn tokenizer(folder: &Path, name: &str, extra: &str) -> String {
    let bytes = (0..256).map(|byte| format!("\"<0x{byte:02X}>\": {}", byte + 3));
    let fill = (259..512).map(|id| format!("\"[{id}]\": {id}"));
    let words: Vec<String> = bytes.chain(fill).collect();
    let added = ["<unk>", "<s>", "</s>"].iter().enumerate().map(|(id, text)| {
        format!(
            r#"{{"id": {id}, "content": "{text}", "special": true, "normalized": false, "single_word": false, "lstrip": false, "rstrip": false}}"#
        )
    });
    let added: Vec<String> = added.collect();
    let text = format!(
        r#"{{"added_tokens": [{}], "normalizer": null, "pre_tokenizer": null, "post_processor": null,
            "decoder": {{"type": "Sequence", "decoders": [{{"type": "ByteFallback"}}, {{"type": "Fuse"}}]}},
            "model": {{"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true,
                "vocab": {{"<unk>": 0, "<s>": 1, "</s>": 2, {}{extra}}}, "merges": []}}}}"#,
        added.join(","),
        words.join(",")
    );
    let path = folder.join(name);
    std::fs::write(&path, text).expect("there is room");
    path.display().to_string()
}

/// A copy of the model in this folder.
fn own_model(folder: &Path) -> Option<String> {
    let path = folder.join("story.tflite");
    std::fs::copy(model()?, &path).expect("there is room");
    Some(path.display().to_string())
}

/// The texts of tokens: bytes, or names in brackets.
fn text_of(ids: &Value) -> String {
    let ids: Vec<u64> = ids.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let mut bytes = Vec::new();
    for id in ids {
        match id {
            0..3 => {}
            3..259 => bytes.push((id - 3) as u8),
            _ => bytes.extend(format!("[{id}]").bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn text_is_continued_by_text() {
    let folder = tempfile::tempdir().expect("there is room");
    let Some(model) = own_model(folder.path()) else { return };
    fail(&["generate", &model, "--prompt", "Once"], 1, &["text needs a tokenizer", "--tokenizer"]);
    tokenizer(folder.path(), "story.tokenizer.json", "");
    std::fs::write(
        folder.path().join("story.tokenizer_config.json"),
        r#"{"bos_token": "<s>", "add_bos_token": true}"#,
    )
    .expect("there is room");
    let tokens = json(&["generate", &model, "--ids", "1,82,113,102,104", "-n", "12", "--json"]);
    let wanted = text_of(&tokens["turns"][0]["ids"]);
    assert_eq!(
        succeed(&["generate", &model, "--prompt", "Once", "--max-tokens", "12"]),
        format!("{wanted}\n")
    );
    let report = json(&["generate", &model, "--prompt", "Once", "-n", "12", "--json"]);
    let turn = &report["turns"][0];
    assert_eq!((&turn["ids"], &turn["text"]), (&tokens["turns"][0]["ids"], &json!(wanted)));
    assert_eq!((&turn["prompt"], &turn["end"]), (&json!("Once"), &json!("count")));

    let stop: String = wanted.chars().skip(4).take(3).collect();
    let before = &wanted[..wanted.find(&stop).expect("it exists")];
    let stopped = json(&[
        "generate", &model, "--prompt", "Once", "-n", "12", "--stop", "no", "--stop", &stop, "--json",
    ]);
    let turn = &stopped["turns"][0];
    assert_eq!((&turn["text"], &turn["end"]), (&json!(before), &json!("stop text")));
    // Tokens are still possible.
    let ids = succeed(&["generate", &model, "--ids", "1", "-n", "2"]);
    assert_eq!(ids, "461,461\n");
}

#[test]
fn a_chat_uses_the_template_of_the_tokenizer() {
    let folder = tempfile::tempdir().expect("there is room");
    let Some(model) = own_model(folder.path()) else { return };
    tokenizer(folder.path(), "tokenizer.json", "");
    fail(&["generate", &model, "--prompt", "Hi", "--chat"], 1, &["a chat needs a template", "--template"]);
    let config = json!({
        "bos_token": "<s>", "eos_token": {"content": "</s>"},
        "chat_template": "{{ bos_token }}{% for m in messages %}{{ m.role[0] }}{{ m.content }}{% endfor %}a",
    });
    std::fs::write(folder.path().join("tokenizer_config.json"), config.to_string()).expect("there is room");
    let ids = |text: &str| {
        let ids: Vec<String> = text.bytes().map(|byte| (usize::from(byte) + 3).to_string()).collect();
        json(&["generate", &model, "--ids", &format!("1,{}", ids.join(",")), "-n", "9", "--json"])["turns"][0]
            ["ids"]
            .clone()
    };
    let chat = ["generate", &model, "--prompt", "Hi", "--chat", "--system", "No.", "-n", "9", "--json"];
    assert_eq!(json(&chat)["turns"][0]["ids"], ids("sNo.uHia"));
    let template = folder.path().join("t.jinja");
    std::fs::write(&template, "{{ bos_token }}[{{ messages[-1].content }}]").expect("there is room");
    let template = template.display().to_string();
    let named = ["generate", &model, "--prompt", "Hi", "--template", &template, "-n", "9", "--json"];
    assert_eq!(json(&named)["turns"][0]["ids"], ids("[Hi]"));
    std::fs::write(&template, "{{ raise_exception('two users in a row') }}").expect("there is room");
    fail(&["generate", &model, "--prompt", "Hi", "--template", &template], 1, &["two users in a row"]);
    std::fs::write(&template, "{% if %}").expect("there is room");
    fail(&["generate", &model, "--prompt", "Hi", "--template", &template], 1, &["t.jinja", "syntax error"]);
}

#[test]
fn wrong_tokenizers_and_long_prompts_are_refused() {
    let folder = tempfile::tempdir().expect("there is room");
    let Some(model) = own_model(folder.path()) else { return };
    let large = tokenizer(folder.path(), "large.json", ", \"[512]\": 512");
    let prompt = |tokenizer: &str, text: &str, words: &[&str]| {
        fail(&["generate", &model, "--tokenizer", tokenizer, "--prompt", text], 1, words);
    };
    prompt(&large, "Hi", &["the tokenizer has 513 tokens, the model's vocabulary 512"]);
    let right = tokenizer(folder.path(), "right.json", "");
    prompt(&right, &"x".repeat(300), &["300 tokens do not fit", "256 positions"]);
    prompt("none.json", "Hi", &["none.json", "No such file"]);
    prompt("none", "Hi", &["text needs a tokenizer"]);
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{\"model\": ").expect("there is room");
    prompt(&broken.display().to_string(), "Hi", &["broken.json", "not a tokenizer.json that is supported"]);
    fail(&["generate", &model, "--ids", "1", "--prompt", "Hi"], 2, &["cannot be used with"]);
}

/// Ctrl-C ends the answer, and the next line is answered.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_answer_alone() {
    let Some(model) = model() else { return };
    let program = Command::new(env!("CARGO_BIN_EXE_arenite"))
        .args(["generate", &model, "-n", "200"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut program = program.expect("the program starts");
    let mut lines = program.stdin.take().expect("it is piped");
    let mut answers = program.stdout.take().expect("it is piped");
    lines.write_all(b"1\n").expect("it reads");
    let mut first = [0];
    answers.read_exact(&mut first).expect("it answers");
    let id = program.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it is installed").success());
    lines.write_all(b"401\n").expect("it reads");
    drop(lines);
    let output = program.wait_with_output().expect("it ends");
    let errors = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let ends: Vec<&str> = errors.lines().filter_map(|line| line.split("ended by: ").nth(1)).collect();
    assert_eq!(ends.len(), 2, "{errors}");
    assert!(ends[0].starts_with("interrupted"), "{errors}");
}

/// Zeros behind a header, and the file.
fn stored(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(
        (text.len() as u64).to_le_bytes().to_vec(),
        flate2::Compression::fast(),
    );
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[test]
fn a_container_has_model_tokenizer_and_template() {
    let folder = tempfile::tempdir().expect("there is room");
    let Some(model) = model() else { return };
    let tokenizer = std::fs::read(tokenizer(folder.path(), "t.json", "")).expect("it was written");
    let pair = |text: &str| Some(Pair { prefix: text.into(), suffix: "]".into() });
    let metadata = Metadata {
        start: Some(Token::of("<s>")),
        stops: vec![Token::of("</s>"), Token::of("[461]")],
        affixes: Some(Affixes { user: pair("["), model: pair("("), system: None }),
        ..Metadata::default()
    };
    let bytes = write(&[
        Part { kind: Kind::METADATA, items: &[], bytes: &metadata.encode_to_vec() },
        Part { kind: Kind::TOKENIZER_JSON, items: &[], bytes: &stored(&tokenizer) },
        Part {
            kind: Kind::MODEL,
            items: &[("model_type", "tf_lite_prefill_decode")],
            bytes: &std::fs::read(&model).expect("it exists"),
        },
    ]);
    let path = folder.path().join("story.litertlm");
    std::fs::write(&path, &bytes).expect("there is room");
    let container = path.display().to_string();

    let ids = |text: &str| {
        let ids: Vec<String> = text.bytes().map(|byte| (usize::from(byte) + 3).to_string()).collect();
        json(&["generate", &model, "--ids", &format!("1,{}", ids.join(",")), "-n", "9", "--json"])["turns"][0]
            ["ids"]
            .clone()
    };
    let prompt = ["generate", &container, "--prompt", "Once", "-n", "9", "--json"];
    let turn = &json(&prompt)["turns"][0];
    let found = turn["ids"].as_array().expect("it is a list").len();
    assert_eq!(turn["ids"].as_array().map(Vec::as_slice), ids("Once").as_array().map(|ids| &ids[..found]));
    let chat = json(&["generate", &container, "--prompt", "Hi", "--chat", "-n", "1", "--json"]);
    assert_eq!(chat["turns"][0]["ids"][0], ids("[Hi](")[0]);
    assert_eq!(succeed(&["generate", &container, "--ids", "1", "-n", "2"]), "461,461\n");

    let shown = succeed(&["inspect", &container]);
    assert!(shown.contains("container  version 1.1.0"), "{shown}");
    assert!(
        shown.contains("tokenizer.json: ") && shown.contains("model_type tf_lite_prefill_decode"),
        "{shown}"
    );
    let sections = json(&["inspect", &container, "--json"])["container"]["sections"].clone();
    assert_eq!(sections[2]["items"]["model_type"], "tf_lite_prefill_decode");

    let part = Part { kind: Kind(77), items: &[("note", "new")], bytes: b"new" };
    std::fs::write(&path, write(&[part])).expect("there is room");
    let output = crate::arenite(&["inspect", &container]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("0  kind 77: 3 bytes from 16,384, note new"), "{}", stdout(&output));
    assert!(stderr(&output).contains("the container has 0 models"), "{}", stderr(&output));

    std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("there is room");
    fail(&["generate", &container, "--ids", "1"], 1, &["story.litertlm", "section 2 (model)", "the file at"]);
    fail(&["inspect", &container], 1, &["story.litertlm", "section 2 (model)"]);
}

#[test]
fn weights_are_in_another_section_or_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let save = |name: &str, bytes: &[u8]| std::fs::write(path(name), bytes).expect("there is room");
    save("whole.tflite", &tiny::model(tiny::Form::default()));
    let split = tiny::model(tiny::Form { group: Some("tflite_weights"), ..tiny::Form::default() });
    save("split.tflite", &split);
    let model = Part { kind: Kind::MODEL, items: &[], bytes: &split };
    save("alone.litertlm", &write(&[model]));
    let model = Part { kind: Kind::MODEL, items: &[], bytes: &split };
    let weights = Part { kind: Kind::WEIGHTS, items: &[], bytes: &tiny::matrix() };
    save("both.litertlm", &write(&[model, weights]));

    let answer = |name: &str, more: &[&str]| {
        let arguments = ["generate", &path(name), "--ids", "1,2,3,4,5", "-n", "6"];
        succeed(&[&arguments[..], more].concat())
    };
    let wanted = answer("whole.tflite", &[]);
    assert_eq!(wanted.split(',').count(), 6, "{wanted}");
    for more in [&[][..], &["--copy"]] {
        assert_eq!(answer("both.litertlm", more), wanted);
    }
    fail(
        &["generate", &path("split.tflite"), "--ids", "1"],
        1,
        &["tflite_weights: has constants of the model: "],
    );
    fail(&["generate", &path("alone.litertlm"), "--ids", "1"], 1, &["alone.litertlm", "'tflite_weights'"]);
    save("tflite_weights", &tiny::matrix()[4..]);
    let short = "external_buffers[0]: 484 bytes at offset 0 exceed the file of 480 bytes";
    fail(&["generate", &path("split.tflite"), "--ids", "1"], 1, &[short]);
    save("tflite_weights", &tiny::matrix());
    for more in [&[][..], &["--copy"]] {
        assert_eq!(answer("split.tflite", more), wanted);
    }
    let got = json(&["inspect", &path("split.tflite"), "--json"]);
    let file = json!([{ "name": "tflite_weights", "group": 0, "buffers": 1, "bytes": 484 }]);
    assert_eq!(got["weight_files"], file);
    let text = succeed(&["inspect", &path("split.tflite")]);
    assert!(text.contains("weights in other files") && text.contains("484  tflite_weights"), "{text}");
    assert_eq!(json(&["inspect", &path("whole.tflite"), "--json"])["weight_files"], json!([]));
}

#[test]
fn inspect_lists_caches() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("model.tflite").display().to_string();
    std::fs::write(&file, tiny::model(tiny::Form::default())).expect("there is room");
    let caches = json(&["inspect", &file, "--json"])["caches"].clone();
    let caches = caches.as_array().expect("it is a list");
    assert!(!caches.is_empty());
    for cache in caches {
        let keys = cache["signatures"].as_array().expect("it is a list");
        assert!(keys.len() > 1 && keys.contains(&json!("decode")), "{cache}");
        assert!(cache["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{cache}");
    }
    let text = succeed(&["inspect", &file]);
    assert!(text.contains("caches  inputs with an output of the same name, type and shape"), "{text}");
}
