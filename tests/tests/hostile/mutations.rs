//! Randomly damaged files and models.

use std::time::Duration;

use arenite_test_clock::Clock;
use arenite_tests::mutants::{self, Random};
use arenite_tests::op_models::{self, Sound};

/// The number of mutations: 20,000, or the value of `ARENITE_MUTATIONS`. The seed depends on the number.
fn mutations() -> usize {
    let asked = std::env::var("ARENITE_MUTATIONS").ok();
    asked.map_or(20_000, |text| text.parse().expect("ARENITE_MUTATIONS is a number"))
}

/// Runs the bytes, and prints which they are if that panics.
fn survives(what: &str, case: usize, bytes: &[u8]) {
    let clock = Clock::start();
    let result = std::panic::catch_unwind(|| arenite_tests::fuzz::model(bytes));
    assert!(result.is_ok(), "{what}, mutation {case} panicked");
    assert!(clock.spent() < Duration::from_secs(2), "{what}, mutation {case}: {:?}", clock.spent());
}

#[test]
fn mutated_bytes_never_panic() {
    let digits = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits").join(name);
        (name.to_owned(), std::fs::read(path).expect("it is committed"))
    };
    let mut files = vec![digits("digits_f32.tflite"), digits("digits_i8.tflite")];
    files.extend(op_models::all().into_iter().map(|sound| (sound.op.to_owned(), sound.model.finish())));
    let each = mutations() / files.len();
    let mut random = Random(2 * mutations() as u64);
    for (name, bytes) in &files {
        for case in 0..each {
            let mut bytes = bytes.clone();
            mutants::spoil_bytes(&mut bytes, &mut random);
            survives(name, case, &bytes);
        }
    }
}

/// The file stays well formed, but its contents do not: shapes, types, options, constants, quantization, wiring.
#[test]
fn mutated_models_never_panic() {
    let models = op_models::all();
    let each = mutations() / models.len();
    let mut random = Random(2 * mutations() as u64 + 1);
    for Sound { op, model, .. } in &models {
        for case in 0..each {
            let mut model = model.clone();
            mutants::spoil_model(&mut model, &mut random);
            survives(op, case, &model.finish());
        }
    }
}
