//! Malformed models as an application meets them: load, build, allocate, invoke. Each ends in an error that names the
//! field or the tensor, within a second of processor time, and never in a panic.

mod bytes;
mod calls;
mod files;
mod moves;
mod mutations;
mod sizes;
mod values;
mod wiring;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arenite::{Error, Interpreter, Model, Quota, Registry, Status};
use arenite_model::writer::{Buffer, ModelBuilder, Value};
use arenite_test_clock::Clock;
use arenite_tests::micro::{self, Aligned};
use arenite_tests::mutants::moved_by_four;
use arenite_tests::op_models::{self, Sound};

fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    let make = || {
        let mut registry = Registry::new();
        for plugin in arenite_tests::plugins() {
            registry.add_plugin(plugin).expect("the plugins are well formed");
        }
        Arc::new(registry)
    };
    Arc::clone(REGISTRY.get_or_init(make))
}

/// Loads, builds, allocates and invokes with zeroed inputs, as an application would.
fn run(bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, String> {
    run_with(bytes, Quota::default(), &[])
}

fn run_with(bytes: Vec<u8>, quota: Quota, inputs: &[(usize, &[u8])]) -> Result<Vec<Vec<u8>>, String> {
    let clock = Clock::start();
    let result = (|| -> arenite::Result<Vec<Vec<u8>>> {
        let model = Model::from_bytes(bytes.clone())?;
        let mut interpreter =
            Interpreter::builder(&model).registry(registry()).threads(1).quota(quota).build()?;
        interpreter.allocate()?;
        for &(i, bytes) in inputs {
            interpreter.input_mut(i)?.copy_from_bytes(bytes)?;
        }
        interpreter.invoke()?;
        (0..interpreter.output_count()).map(|i| Ok(interpreter.output(i)?.bytes()?.to_vec())).collect()
    })();
    let took = clock.spent();
    assert!(took < Duration::from_secs(1), "{took:?} for {:?}", result.map(|_| ()));
    check_micro(&bytes, inputs, &result);
    result.map_err(|error| {
        let panicked = matches!(error, Error::Node { status: Status::Panicked, .. });
        assert!(!panicked, "{error}");
        error.to_string()
    })
}

/// The micro interpreter refuses whatever the large runtime refuses, unless a quota was exceeded.
fn check_micro(bytes: &[u8], inputs: &[(usize, &[u8])], wanted: &arenite::Result<Vec<Vec<u8>>>) {
    static OPS: OnceLock<Vec<arenite_micro::OpRegistration>> = OnceLock::new();
    let (ops, model) = (OPS.get_or_init(micro::ops), Aligned::of(bytes));
    let clock = Clock::start();
    let result = micro::run_once(model.as_slice(), ops, Aligned::new(0xa5, 1 << 20).bytes_mut(), inputs);
    assert!(clock.spent() < Duration::from_secs(1), "{:?}: {result:?}", clock.spent());
    match (&result, wanted) {
        (Ok(_), Ok(_)) => {}
        (Ok(_), Err(error)) if error.to_string().contains("the quota is") => {}
        (Ok(_), Err(error)) => panic!("it runs in the micro interpreter, but should fail: {error}"),
        (Err(error), _) => assert!(error.status() != Status::Panicked, "{error}"),
    }
}

/// The `n`th valid model of `op`.
fn sound(op: &str, n: usize) -> ModelBuilder {
    let mut models = op_models::all().into_iter().filter(|sound| sound.op == op);
    models.nth(n).expect("op_models has a model of the op").model
}

/// A list of results and the text that each error must contain.
#[derive(Default)]
struct Cases(Vec<Case>);

type Case = (Result<Vec<Vec<u8>>, String>, String);

impl Cases {
    fn spoilt(
        &mut self,
        mut model: ModelBuilder,
        spoil: impl FnOnce(&mut ModelBuilder),
        text: impl Into<String>,
    ) {
        spoil(&mut model);
        self.model(model, text);
    }

    fn model(&mut self, model: ModelBuilder, text: impl Into<String>) {
        self.0.push((run(model.finish()), text.into()));
    }

    fn fed(&mut self, model: ModelBuilder, inputs: &[(usize, Vec<u8>)], text: impl Into<String>) {
        let inputs: Vec<(usize, &[u8])> = inputs.iter().map(|(i, bytes)| (*i, &bytes[..])).collect();
        self.0.push((run_with(model.finish(), Quota::default(), &inputs), text.into()));
    }
}

impl Drop for Cases {
    /// Reports all wrong results together.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let wrong: Vec<String> = self
            .0
            .iter()
            .filter_map(|(result, text)| match result {
                Ok(_) => Some(format!("it ran, but should fail: {text}")),
                Err(error) => {
                    (!error.contains(text.as_str())).then(|| format!("wanted: {text}\n   got: {error}"))
                }
            })
            .collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
        assert!(!self.0.is_empty());
    }
}

/// Sets the field in `slot` of the node's options.
fn option(model: &mut ModelBuilder, slot: u16, value: Value) {
    let options = model.subgraphs[0].operators[0].options.as_mut().expect("it has options");
    options.1.slots.retain(|(s, _)| *s != slot);
    options.1.slots.push((slot, value));
}

/// Sets the node's custom options.
fn custom_options(model: &mut ModelBuilder, options: Vec<u8>) {
    model.subgraphs[0].operators[0].custom_options = Buffer::Inline(options);
}

/// Sets the data of the node's input `i`, a constant.
fn constant(model: &mut ModelBuilder, i: usize, data: Vec<u8>) {
    let graph = &model.subgraphs[0];
    let tensor = graph.operators[0].inputs[i] as usize;
    let buffer = graph.tensors[tensor].buffer as usize;
    assert_ne!(buffer, 0, "input {i} is constant");
    model.buffers[buffer] = Buffer::Inline(data);
}

/// Also if all numbers of eight bytes and all constants lie at 4 modulo 8.
#[test]
fn every_sound_model_runs() {
    for Sound { op, model, inputs } in op_models::all() {
        let inputs: Vec<(usize, &[u8])> = inputs.iter().map(|(i, bytes)| (*i, &bytes[..])).collect();
        let file = model.finish();
        let moved = run_with(moved_by_four(&file), Quota::default(), &inputs);
        let outputs = run_with(file, Quota::default(), &inputs);
        assert!(outputs.as_ref().is_ok_and(|o| !o.is_empty()), "{op}: {outputs:?}");
        assert!(outputs == moved || op.contains("RANDOM") || op == "MULTINOMIAL", "{op}: {moved:?}");
    }
}
