//! The crate accepts, rejects and reads the same files as the crate `flatbuffers`, with the same messages: small models
//! with all kinds of changed bytes, the seeds of the fuzz targets, and the models of the shared corpora.

mod files;
#[allow(unreachable_pub)]
mod oracle;
mod small;
mod spoilt;

use arenite_model::tensor_type::INT8;
use arenite_model::writer::{ModelBuilder, SubGraph, Tensor};
use arenite_model::{Model, ModelError};
use std::path::Path;

/// Whether both accept the structure; panics if they disagree.
fn check(name: &str, bytes: &[u8]) -> bool {
    let ours = Model::new(bytes);
    let structure = match &ours {
        Err(ModelError::TooShort { .. } | ModelError::Identifier { .. }) => return false,
        Err(error @ ModelError::Structure(_)) => Some(error.to_string()),
        _ => None,
    };
    let theirs = oracle::refusal(bytes);
    if theirs.as_deref().is_some_and(is_aligned_to_four) {
        return structure.is_none();
    }
    assert_eq!(theirs, structure, "{name}");
    if let Ok(model) = ours {
        oracle::compare(bytes, model);
    }
    structure.is_none()
}

/// Whether this error of the crate `flatbuffers` is about a number of eight bytes at a multiple of four, which this
/// crate accepts.
fn is_aligned_to_four(error: &str) -> bool {
    let eight = ["malformed file: i64 at byte ", "malformed file: u64 at byte "];
    let place = eight.iter().find_map(|start| error.strip_prefix(start)?.split(' ').next());
    place.and_then(|digits| digits.parse().ok()).is_some_and(|place: usize| place.is_multiple_of(4))
}

#[test]
fn numbers_of_eight_bytes_may_be_aligned_to_four() {
    let mut model = ModelBuilder::new();
    let data = model.buffer([1u8; 4]);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", INT8, &[2, 2]).per_channel(&[0.5, 0.25], &[-3, 100], 0));
    graph.output(Tensor::new("c", INT8, &[2, 2]).buffer(data));
    model.subgraph(graph);
    let file = spoilt::moved_by_four(&model.finish());
    let refusal = oracle::refusal(&file).expect("the crate `flatbuffers` refuses it");
    assert!(is_aligned_to_four(&refusal), "{refusal}");
    let read = Model::new(&file).expect("it is accepted");
    let tensor =
        read.subgraph(0).and_then(|graph| graph.tensors().get(x as usize)).expect("the input exists");
    let quantization = tensor.quantization().expect("it is quantized");
    assert_eq!(quantization.zero_point().iter().collect::<Vec<_>>(), [-3, 100]);
    assert_eq!(quantization.scale().iter().collect::<Vec<_>>(), [0.5, 0.25]);
    // Numbers of four bytes must be aligned.
    let mut moved = file.clone();
    moved[0] -= 2;
    moved.drain(8..10);
    let error = Model::new(&moved).expect_err("the root is not aligned").to_string();
    assert!(error.ends_with("is not aligned"), "{error}");
}

#[test]
fn changed_bytes() {
    for (name, sound) in [("rich", small::rich()), ("shared", spoilt::shared_tables(3))] {
        check(name, &sound);
        let (mut accepted, mut refused) = (0, 0);
        let mut count = |yes| if yes { accepted += 1 } else { refused += 1 };
        for length in 0..sound.len() {
            count(check(name, &sound[..length]));
        }
        for position in 0..sound.len() {
            let bits = (0..8).map(|bit| sound[position] ^ 1 << bit);
            for value in bits.chain([0, u8::MAX, sound[position].wrapping_add(1)]) {
                let mut bytes = sound.clone();
                bytes[position] = value;
                count(check(name, &bytes));
            }
        }
        assert!(accepted > 100 && refused > 100, "{name}: {accepted} accepted, {refused} refused");
    }
}

/// `ARENITE_MUTANTS` sets the number of mutants.
#[test]
fn damaged_in_several_places() {
    let mutants = std::env::var("ARENITE_MUTANTS").ok().and_then(|count| count.parse().ok());
    let sound = small::rich();
    let mut random = spoilt::random();
    let (mut accepted, mut refused) = (0, 0);
    for mutant in 0..mutants.unwrap_or(20_000) {
        let mut bytes = sound.clone();
        for _ in 0..1 + random() % 4 {
            let position = (random() as usize) % bytes.len();
            // Small changes make offsets point to valid positions.
            bytes[position] =
                if random() & 1 == 0 { random() as u8 } else { bytes[position] ^ (1 << (random() % 8)) };
        }
        bytes.truncate(bytes.len() - (random() as usize % 64).saturating_sub(60));
        if check(&format!("mutant {mutant}"), &bytes) { accepted += 1 } else { refused += 1 }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 0 && refused > 0);
}

#[test]
fn too_much_sharing() {
    assert!(!check("shared", &spoilt::shared_tables(20_000)));
}

#[test]
fn seeds_and_corpora() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/seeds/model");
    let mut count = 0;
    for seed in std::fs::read_dir(seeds).expect("the seeds are committed") {
        let path = seed.expect("the folder can be read").path();
        check(&path.display().to_string(), &std::fs::read(&path).expect("the seed can be read"));
        count += 1;
    }
    assert!(count > 0, "no seeds");
    files::each_model(|name, bytes| assert!(check(name, bytes), "{name}"));
}
