//! Techniques that share memory between tensors do not change results: with all of them, with none, and with each one
//! alone, every output has the same bits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arenite::{ElementType, Interpreter, Model, Registry, Techniques};
use arenite_tests::op_models;

mod networks;

/// Settings by name: none, all, and each technique alone.
fn settings() -> Vec<(&'static str, Techniques)> {
    let alone = |name| {
        let mut techniques = Techniques::NONE;
        *techniques.named(name).expect("the name is known") = true;
        (name, techniques)
    };
    let each = Techniques::NAMES.map(alone);
    [("none", Techniques::NONE), ("all", Techniques::ALL)].into_iter().chain(each).collect()
}

/// The bytes of each output after each of two runs, and the plan of the main subgraph as text.
struct Answer {
    outputs: Vec<Vec<Vec<u8>>>,
    plan: String,
}

/// Numbers that differ from element to element; integers that may be indices are zero, unless `given`.
fn fill(interpreter: &mut Interpreter, given: &[(usize, Vec<u8>)], round: usize) -> arenite::Result<()> {
    for i in 0..interpreter.input_count() {
        let input = interpreter.input(i)?;
        let (ty, bytes) = (input.ty, input.byte_len());
        let number = |k: usize| (k * 37 + 11 * i + 101 * round) % 251;
        let bytes = match given.iter().find(|(at, _)| *at == i) {
            Some((_, bytes)) => bytes.clone(),
            None if ty == ElementType::F32 => {
                (0..bytes / 4).flat_map(|k| (number(k) as f32 / 125.0 - 1.0).to_le_bytes()).collect()
            }
            None if [ElementType::I8, ElementType::U8].contains(&ty) => {
                (0..bytes).map(|k| number(k) as u8).collect()
            }
            None if ty == ElementType::String => continue,
            None => vec![0; bytes],
        };
        interpreter.input_mut(i)?.copy_from_bytes(&bytes)?;
    }
    Ok(())
}

fn outputs(interpreter: &Interpreter) -> arenite::Result<Vec<Vec<u8>>> {
    let bytes = |i| {
        let output = interpreter.output(i)?;
        match output.ty {
            ElementType::String => Ok(output.strings()?.join(&b'\n')),
            _ => Ok(output.bytes()?.to_vec()),
        }
    };
    (0..interpreter.output_count()).map(bytes).collect()
}

/// Other settings of a run.
#[derive(Clone)]
struct Setup {
    registry: Arc<Registry>,
    /// Whether the default delegate is used.
    delegate: bool,
}

impl Setup {
    fn new(delegate: bool) -> Self {
        let registry = Registry::with_static_plugins().expect("the plugins are sound");
        Setup { registry: Arc::new(registry), delegate }
    }

    fn answer(
        &self,
        model: &Model,
        given: &[(usize, Vec<u8>)],
        techniques: Techniques,
    ) -> arenite::Result<Answer> {
        let registry = Arc::clone(&self.registry);
        let mut builder = Interpreter::builder(model).registry(registry).techniques(techniques).threads(1);
        if !self.delegate {
            builder = builder.without_default_delegate();
        }
        let mut interpreter = builder.build()?;
        interpreter.allocate()?;
        let plan = interpreter
            .memory_plan()
            .into_iter()
            .map(|s| format!("{:?}{:?}{:?}", s.records, s.buffers, s.places));
        let mut answer = Answer { outputs: Vec::new(), plan: plan.collect() };
        for round in 0..2 {
            fill(&mut interpreter, given, round)?;
            interpreter.invoke()?;
            answer.outputs.push(outputs(&interpreter)?);
        }
        Ok(answer)
    }
}

/// How many plans each setting changed, and how many models ran.
#[derive(Default)]
struct Seen {
    changed: BTreeMap<&'static str, usize>,
    ran: usize,
}

impl Seen {
    /// Compares the results of a model. A model that fails must fail with the same error under all settings.
    #[track_caller]
    fn compare(&mut self, name: &str, setup: &Setup, model: &Model, given: &[(usize, Vec<u8>)]) {
        let none = setup.answer(model, given, Techniques::NONE).map_err(|error| error.to_string());
        self.ran += usize::from(none.is_ok());
        for (setting, techniques) in settings() {
            let answer = setup.answer(model, given, techniques).map_err(|error| error.to_string());
            match (&answer, &none) {
                (Ok(answer), Ok(none)) if answer.outputs == none.outputs => {
                    *self.changed.entry(setting).or_default() += usize::from(answer.plan != none.plan);
                }
                (Ok(answer), Ok(none)) => {
                    panic!("{name}: with {setting}, {}", difference(&answer.outputs, &none.outputs))
                }
                (Err(error), Err(other)) if error == other => {}
                _ => panic!("{name}: with {setting} {:?}, without {:?}", answer.err(), none.err()),
            }
        }
    }

    /// Each technique must have changed a plan.
    #[track_caller]
    fn each_changed_at_least(&self, count: usize) {
        for (name, changed) in self.changed.iter().filter(|(name, _)| **name != "none") {
            assert!(
                *changed >= count,
                "{name} changed {changed} plans, expected {count}: {:?}",
                self.changed
            );
        }
    }
}

fn difference(got: &[Vec<Vec<u8>>], none: &[Vec<Vec<u8>>]) -> String {
    for (round, (got, none)) in got.iter().zip(none).enumerate() {
        for (output, (got, none)) in got.iter().zip(none).enumerate() {
            if let Some(byte) = (0..got.len().max(none.len())).find(|&i| got.get(i) != none.get(i)) {
                return format!(
                    "run {round}, output {output}: byte {byte} is {:?}, without techniques {:?}",
                    got.get(byte),
                    none.get(byte)
                );
            }
        }
    }
    "the number of outputs differs".to_owned()
}

fn model(path: &Path) -> Model {
    Model::from_file(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn example_models_give_the_same_bits() {
    let mut seen = Seen::default();
    for file in ["digits_f32.tflite", "digits_i8.tflite"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits").join(file);
        for delegate in [false, true] {
            seen.compare(file, &Setup::new(delegate), &model(&path), &[]);
        }
    }
    assert_eq!(seen.ran, 4);
}

#[test]
fn every_op_gives_the_same_bits() {
    let (setup, mut seen) = (Setup::new(false), Seen::default());
    let draws = |op: &str| op.to_lowercase().contains("random") || op == "MULTINOMIAL";
    let models = op_models::all();
    for sound in models.iter().filter(|sound| !draws(sound.op)) {
        let model = Model::from_bytes(sound.model.finish()).expect("it is sound");
        seen.compare(sound.op, &setup, &model, &sound.inputs);
    }
    // NumericVerify fails, as it should: its inputs differ.
    assert!(seen.ran + 10 >= models.len(), "{} of {} models ran", seen.ran, models.len());
}

/// Runs the networks, and prints which techniques changed plans.
fn random_networks(delegate: bool) -> Seen {
    let (setup, mut seen) = (Setup::new(delegate), Seen::default());
    for seed in 0..300 {
        let model = Model::from_bytes(networks::random(seed)).expect("it is sound");
        seen.compare(&format!("network {seed}"), &setup, &model, &[]);
    }
    assert_eq!(seen.ran, 300);
    seen
}

#[test]
fn random_networks_give_the_same_bits() {
    random_networks(false).each_changed_at_least(30);
}

#[test]
fn random_networks_on_a_delegate_give_the_same_bits() {
    random_networks(true);
}

/// Models in the folder `models` of the corpus, if it is installed.
#[test]
fn models_of_the_corpus_give_the_same_bits() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let root = std::env::var_os("ARENITE_SHARED").map_or_else(default, PathBuf::from).join("models");
    let Ok(folders) = std::fs::read_dir(&root) else {
        println!("skipped: {} does not exist; set ARENITE_SHARED to the corpus", root.display());
        return;
    };
    let mut files: Vec<PathBuf> =
        folders.map(|entry| entry.expect("a folder").path().join("model.tflite")).collect();
    // Larger models take too long in a debug build.
    files.retain(|file| file.metadata().is_ok_and(|data| data.len() <= MOST_BYTES));
    files.sort();
    assert!(!files.is_empty(), "{}: no models", root.display());
    for file in files {
        let mut seen = Seen::default();
        for delegate in [false, true] {
            seen.compare(&file.display().to_string(), &Setup::new(delegate), &model(&file), &[]);
        }
        assert_eq!(seen.ran, 2, "{}", file.display());
    }
}

const MOST_BYTES: u64 = 400_000;
