//! Small networks as converters write them, with the tokens that llama2.c and LiteRT choose.

use std::path::{Path, PathBuf};

use arenite::{Interpreter, Model};
use arenite_language::{Request, Session};
use serde_json::Value;

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("ARENITE_SHARED").map(PathBuf::from);
    let shared = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let folder = shared.join("language");
    folder.is_dir().then_some(folder)
}

#[test]
fn the_tokens_are_those_of_other_programs() {
    let Some(folder) = folder() else { return };
    let ids = std::fs::read(folder.join("llama2c_260k_ids.json")).expect("it is there");
    let ids: Value = serde_json::from_slice(&ids).expect("it is JSON");
    for (file, list) in [
        ("f32", "llama2.c"),
        ("composites_f32", "llama2.c"),
        ("q8", "q8"),
        ("composites_q8", "composites_q8"),
    ] {
        let wanted: Vec<u64> =
            ids["ids"][list].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        assert_eq!(wanted.len(), 120, "{list}");
        let model =
            Model::from_file(folder.join(format!("llama2c_260k_{file}_ekv256.tflite"))).expect("it is valid");
        let interpreter = Interpreter::builder(&model).threads(1).build().expect("its ops are known");
        let mut session = Session::new(interpreter).expect("it is a language model");
        let answer = session
            .generate(&[1], &mut crate::greedy(), &Request::of(120), &mut |_| true)
            .expect("120 tokens fit");
        let found: Vec<u64> = answer.ids.iter().map(|&id| id.into()).collect();
        // Activations of 8 bits are rounded from sums of floats, whose order differs there: one token may differ, and
        // then all that follow. LiteRT's own reference kernels leave the list after 59 tokens.
        let same = if file.ends_with("q8") { 20 } else { 120 };
        assert_eq!(found[..same], wanted[..same], "{file}");
        // Prefills of 32 and 8, and decode, continue as decode alone does.
        let context: Vec<u32> = [&[1], &answer.ids[..60]].concat();
        session.truncate(0);
        let again = session
            .generate(&context, &mut crate::greedy(), &Request::of(60), &mut |_| true)
            .expect("120 tokens fit");
        assert_eq!(again.ids, &answer.ids[60..], "{file}, after prefill");
    }
}
