//! Small networks as converters write them, with the tokens that llama2.c and LiteRT choose.

use std::path::{Path, PathBuf};

use arenite::{Interpreter, Model};
use arenite_language::{Request, Session};
use serde_json::Value;

/// A file's name, and the list of tokens that it should choose.
const FILES: [(&str, &str); 4] =
    [("f32", "llama2.c"), ("composites_f32", "llama2.c"), ("q8", "q8"), ("composites_q8", "composites_q8")];

/// One of the networks.
pub(crate) struct Network {
    pub name: &'static str,
    pub model: Model,
    /// The 120 tokens that another program chooses after token 1.
    pub tokens: Vec<u32>,
}

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("ARENITE_SHARED").map(PathBuf::from);
    let shared = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let folder = shared.join("language");
    folder.is_dir().then_some(folder)
}

/// The networks, with and without composites; none if the folder does not exist.
pub(crate) fn networks() -> Vec<Network> {
    let Some(folder) = folder() else {
        println!("skipped: there is no folder 'language' in ARENITE_SHARED or ../shared");
        return Vec::new();
    };
    let ids = std::fs::read(folder.join("llama2c_260k_ids.json")).expect("it is there");
    let ids: Value = serde_json::from_slice(&ids).expect("it is JSON");
    let network = |(name, list): (&'static str, &str)| {
        let ids = ids["ids"][list].as_array().into_iter().flatten().filter_map(Value::as_u64);
        let tokens: Vec<u32> = ids.filter_map(|id| id.try_into().ok()).collect();
        assert_eq!(tokens.len(), 120, "{list}");
        let file = folder.join(format!("llama2c_260k_{name}_ekv256.tflite"));
        Network { name, model: Model::from_file(file).expect("it is valid"), tokens }
    };
    FILES.into_iter().map(network).collect()
}

#[test]
fn the_tokens_are_those_of_other_programs() {
    for Network { name, model, tokens } in networks() {
        let interpreter = Interpreter::builder(&model).threads(1).build().expect("its ops are known");
        let mut session = Session::new(interpreter).expect("it is a language model");
        let answer = session
            .generate(&[1], &mut crate::greedy(), &Request::of(120), &mut |_| true)
            .expect("120 tokens fit");
        // Activations of 8 bits are rounded from sums of floats, whose order differs there: one token may differ, and
        // then all that follow. LiteRT's own reference kernels leave the list after 59 tokens.
        let same = if name.ends_with("q8") { 20 } else { 120 };
        assert_eq!(answer.ids[..same], tokens[..same], "{name}");
        // Prefills of 32 and 8, and decode, continue as decode alone does.
        let context: Vec<u32> = [&[1], &answer.ids[..60]].concat();
        session.truncate(0);
        let again = session
            .generate(&context, &mut crate::greedy(), &Request::of(60), &mut |_| true)
            .expect("120 tokens fit");
        assert_eq!(again.ids, &answer.ids[60..], "{name}, after prefill");
    }
}
