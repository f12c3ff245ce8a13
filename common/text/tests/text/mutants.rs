//! Language models and a container with random bytes changed: an error or an answer, but no crash and no hang.
//!
//! `ARENITE_MUTANTS=10000 cargo test --release -p arenite-text mutants` runs that many of each file, and
//! `ARENITE_MUTANTS=2500..5000` the ones with these numbers. A number always means the same mutant, so `2517..2518`
//! repeats one that failed.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arenite::{Interpreter, Model, Quota, Source};
use arenite_language::Session;
use arenite_litertlm::{Container, Kind, Part, WEIGHTS, write};
use arenite_text::Tokenizer;

/// Mutants of each file that every run of the tests tries.
const FEW: u64 = 12;
/// The longest that a mutant may take, with much room for a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    /// A generator for one mutant: SplitMix64's function of the file and the number, so that neighbours differ.
    fn of(file: u64, mutant: u64) -> Self {
        let mut bits = (file << 32 | mutant).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Random((bits ^ bits >> 31).max(1))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("ARENITE_SHARED").map(PathBuf::from);
    let shared = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let folder = shared.join("language");
    folder.is_dir().then_some(folder)
}

/// The numbers of the mutants that run.
fn numbers() -> Range<u64> {
    let Ok(text) = std::env::var("ARENITE_MUTANTS") else { return 0..FEW };
    let (begin, end) = text.split_once("..").unwrap_or(("0", &text));
    let number = |text: &str| text.parse().expect("ARENITE_MUTANTS is a number, or BEGIN..END");
    number(begin)..number(end)
}

/// Changes up to eight places, words or bytes, to random or extreme values; one mutant in sixteen is cut. Half of the
/// places are in the first or last 64 KiB, where tables are.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    const EXTREMES: [u32; 8] = [0, 1, 2, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    if random.below(16) == 0 {
        let length = random.below(bytes.len());
        bytes.truncate(length);
        return;
    }
    for _ in 0..=random.below(8) {
        let near = bytes.len().min(1 << 16);
        let at = match random.below(4) {
            0 => random.below(near),
            1 => bytes.len() - 1 - random.below(near),
            _ => random.below(bytes.len()),
        };
        match random.below(3) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            _ => {
                let word = EXTREMES[random.below(EXTREMES.len())].to_le_bytes();
                let at = at / 4 * 4;
                let end = (at + 4).min(bytes.len());
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
        }
    }
}

/// Loads a model, and runs a prefill and a step if it is a language model. Returns whether it ran.
fn attempt(model: arenite::Result<Model>) -> bool {
    let quota = Quota { bytes: 256 << 20, time: Some(Duration::from_secs(5)), ..Quota::default() };
    let Ok(model) = model else { return false };
    let Ok(interpreter) = Interpreter::builder(&model).threads(1).quota(quota).build() else { return false };
    let Ok(mut session) = Session::new(interpreter) else { return false };
    let ids: Vec<u32> = (0..9).map(|id| id % session.vocabulary().max(1) as u32).collect();
    session.append(&ids).is_ok() && session.append(&[1]).is_ok() && session.logits().is_ok()
}

fn each(name: &str, original: &[u8], file: u64, mut run: impl FnMut(Vec<u8>) -> bool) {
    assert!(run(original.to_vec()), "{name} runs");
    for mutant in numbers() {
        let mut bytes = original.to_vec();
        mutate(&mut Random::of(file, mutant), &mut bytes);
        let begin = Instant::now();
        run(bytes);
        assert!(begin.elapsed() < LONGEST, "mutant {mutant} of {name} took {:?}", begin.elapsed());
    }
}

fn mutants_of_a_model(file: u64, kind: &str) {
    let Some(folder) = shared() else { return };
    let name = format!("llama2c_260k_{kind}_ekv256.tflite");
    let original = std::fs::read(folder.join(&name)).expect("it is readable");
    each(&name, &original, file, |bytes| attempt(Model::from_bytes(bytes)));
}

#[test]
fn mutants_of_the_float_model_give_errors_or_run() {
    mutants_of_a_model(1, "f32");
}

#[test]
fn mutants_of_the_float_model_with_composites_give_errors_or_run() {
    mutants_of_a_model(2, "composites_f32");
}

#[test]
fn mutants_of_the_quantized_model_give_errors_or_run() {
    mutants_of_a_model(3, "q8");
}

#[test]
fn mutants_of_the_quantized_model_with_composites_give_errors_or_run() {
    mutants_of_a_model(4, "composites_q8");
}

#[test]
fn mutants_of_a_container_give_errors_or_run() {
    let Some(folder) = shared() else { return };
    let model = std::fs::read(folder.join("llama2c_260k_q8_ekv256.tflite")).expect("it is readable");
    let original = write(&[
        Part { kind: Kind::MODEL, items: &[("model_type", "tf_lite_prefill_decode")], bytes: &model },
        Part {
            kind: Kind::WEIGHTS,
            items: &[("model_type", "tf_lite_prefill_decode")],
            bytes: b"none are used",
        },
    ]);
    each("the container", &original, 5, |bytes| {
        let mut file = tempfile::tempfile().expect("there is room");
        file.write_all(&bytes).expect("there is room");
        let Ok(container) = Container::read(file) else { return false };
        drop(Tokenizer::of_container(&container));
        let Ok(section) = container.model() else { return false };
        let part = |section: &arenite_litertlm::Section| {
            Source::from_file_part(container.file(), section.begin, section.length())
        };
        let weights = container.weights(section).and_then(|weights| Some((WEIGHTS, part(weights).ok()?)));
        let Ok(model) = part(section) else { return false };
        attempt(Model::with_groups(model, &Vec::from_iter(weights)))
    });
}
