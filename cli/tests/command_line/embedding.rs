//! `embed`: models as source code.

use std::fs;

use crate::{fail, path, succeed};

#[test]
fn a_model_becomes_source_in_both_languages() {
    let model = path("digits_i8.tflite");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    succeed(&["embed", &model, "--target", "cortex-m4", "-o", out]);
    succeed(&[
        "embed",
        &model,
        "--target",
        "cortex-m4",
        "-o",
        out,
        "--lang",
        "rust",
        "--arena",
        "crate::ARENA",
    ]);
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    assert!(read("digits_i8.h").contains("#define DIGITS_I8_ARENA_BYTES"));
    assert!(read("digits_i8.c").contains("AR_EMBEDDED_FOR(4)"));
    let rust = read("digits_i8.rs");
    let parts =
        ["fn input_0(&mut self) -> &mut [i8; 256]", "use crate::ARENA as ARENA;", "usize::BITS == 32"];
    for part in parts {
        assert!(rust.contains(part), "'{part}' is missing");
    }
    assert!(!rust.contains("unsafe"));
}

#[test]
fn what_embed_refuses() {
    let (model, folder) = (path("digits_i8.tflite"), tempfile::tempdir().unwrap());
    let out = folder.path().to_str().unwrap();
    let fails = |rest: &[&str], status: i32, words: &[&str]| {
        fail(&[&["embed", &model, "-o", out], rest].concat(), status, words);
    };
    fails(&["--arena", "ARENA"], 1, &["--arena is for --lang rust", "DIGITS_I8_ARENA"]);
    fails(&["--lang", "rust", "--arena", "a-b"], 2, &["the path of a static in Rust"]);
    fails(&["--target", "z80"], 2, &["unknown machine 'z80'", "cortex-m4"]);
}
