//! `arenite generate`, with models of `ARENITE_SHARED` or `../shared`, if they are at hand.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::{fail, json, path, stderr, stdout, succeed};

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
    std::io::Write::write_all(&mut lines, b"1\n401,401 401\n").expect("it reads");
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
