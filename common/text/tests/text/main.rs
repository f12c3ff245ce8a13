//! Tokenizers and conversations, with tokenizers of a few tokens and the model of arenite-language's tests.
#![forbid(unsafe_code)]

mod conversations;
mod mutants;
mod tokenizers;
// The same model as in the tests of arenite-language.
#[path = "../../../language/tests/session/tiny.rs"]
#[allow(dead_code)]
mod tiny;

use arenite_text::{Settings, Tokenizer};

/// A `tokenizer.json` with 11 tokens: pairs are merged, other bytes have tokens of their own.
pub(crate) const PAIRS: &str = r#"{
    "added_tokens": [
        {"id": 0, "content": "<s>", "special": true, "normalized": false, "single_word": false, "lstrip": false, "rstrip": false},
        {"id": 1, "content": "</s>", "special": true, "normalized": false, "single_word": false, "lstrip": false, "rstrip": false}
    ],
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "pre_tokenizer": null,
    "post_processor": {"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                 {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
    "decoder": {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "fuse_unk": true, "byte_fallback": true,
        "vocab": {"<s>": 0, "</s>": 1, "a": 2, "b": 3, "▁": 4, "▁a": 5, "ab": 6, "<0xE2>": 7, "<0x82>": 8,
                  "<0xAC>": 9, "c": 10},
        "merges": ["▁ a", "a b"]}
}"#;

pub(crate) fn pairs() -> Tokenizer {
    let settings = Settings { stops: vec!["</s>".into()], ..Settings::default() };
    Tokenizer::from_bytes(PAIRS.as_bytes(), settings).expect("it is well-formed")
}
