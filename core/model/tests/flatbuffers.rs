//! The crate accepts, rejects and reads the same files as the crate `flatbuffers`, with the same messages: small models
//! with all kinds of changed bytes, the seeds of the fuzz targets, and the models of the shared corpora.

mod files;
#[allow(unreachable_pub)]
mod oracle;
mod small;
mod spoilt;

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
    assert_eq!(oracle::refusal(bytes), structure, "{name}");
    if let Ok(model) = ours {
        oracle::compare(bytes, model);
    }
    structure.is_none()
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
