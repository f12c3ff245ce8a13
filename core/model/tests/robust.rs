//! Corrupted bytes never cause a panic, and sharing never costs more than the file's size allows.

mod read;
mod small;
mod spoilt;

use arenite_model::tensor_type::{FLOAT32, STRING};
use arenite_model::writer::{ModelBuilder, SubGraph, Tensor, bytes_of_strings};
use arenite_model::{Model, ModelError};
use arenite_test_clock::Clock;

#[test]
fn every_truncated_or_changed_file_is_rejected_or_readable() {
    let sound = small::rich();
    read::everything(Model::new(&sound).expect("the model is valid"));
    for length in 0..sound.len() {
        if let Ok(model) = Model::new(&sound[..length]) {
            read::everything(model);
        }
    }
    let mut refused = 0;
    for position in 0..sound.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, sound[position] ^ 4, sound[position].wrapping_add(1)] {
            let mut bytes = sound.clone();
            bytes[position] = value;
            match Model::new(&bytes) {
                Ok(model) => _ = read::everything(model),
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > sound.len(), "only {refused} refusals");
}

#[test]
fn randomly_changed_files_are_rejected_or_readable() {
    let sound = small::rich();
    let mut random = spoilt::random();
    for _ in 0..20_000 {
        let mut bytes = sound.clone();
        for _ in 0..1 + random() % 6 {
            let position = (random() as usize) % bytes.len();
            bytes[position] = random() as u8;
        }
        if let Ok(model) = Model::new(&bytes) {
            read::everything(model);
        }
    }
}

#[test]
fn shared_tables_do_not_multiply_the_work() {
    let clock = Clock::start();
    let error = Model::new(&spoilt::shared_tables(200_000)).expect_err("40 billion apparent operators");
    assert!(error.to_string().contains("share so much data"), "{error}");
    clock.at_most(5);
    let few = Model::new(&spoilt::shared_tables(2)).expect_err("no schema version");
    assert_eq!(few, ModelError::SchemaVersion { found: 0 });
}

#[test]
fn shared_strings_do_not_multiply_the_work() {
    let mut model = ModelBuilder::new();
    let words = vec![""; 50_000];
    let buffer = model.buffer(bytes_of_strings(&words));
    let mut graph = SubGraph::new("main");
    for _ in 0..20_000 {
        graph.tensor(Tensor::new("", STRING, &[50_000]).buffer(buffer));
    }
    model.subgraph(graph);
    let bytes = model.finish();
    let clock = Clock::start();
    let error = Model::new(&bytes).expect_err("a billion apparent strings");
    assert!(matches!(error, ModelError::TooMuchSharing { .. }), "{error}");
    clock.at_most(5);
}

#[test]
fn many_names_are_compared_quickly() {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[1]));
    model.subgraph(graph);
    let names: Vec<String> = (0..100_000).map(|index| format!("name {index}")).collect();
    let names: Vec<(&str, i32)> = names.iter().map(|name| (name.as_str(), x)).collect();
    model.signature("key", 0, &names, &[]);
    let bytes = model.finish();
    let clock = Clock::start();
    Model::new(&bytes).expect("all names differ");
    clock.at_most(5);
}
