//! Today's plugins in a host of contract 1.0: either the same bytes as in today's host, or an error that names the
//! missing interface.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use arenite::config::DelegateConfig;
use arenite::{Interpreter, InterpreterBuilder, Model, NodeProvider, Registry};
use arenite_tests::libraries::{compile_c, library};
use arenite_tests::{op_models, reference_ops};
use tempfile::TempDir;

use crate::first_host::{add, take_message};
use crate::fixtures::{X, custom, run};

static FIRST: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    let mut registry = Registry::new();
    for name in ["ops", "flex", "planners", "cpu"] {
        add(&mut registry, &library(&format!("arenite-plugin-{name}")));
    }
    Arc::new(registry)
});

type Bytes = Vec<Vec<u8>>;

/// All outputs, or the text of the error.
fn outputs(builder: InterpreterBuilder, inputs: &[(usize, Vec<u8>)]) -> Result<Bytes, String> {
    let mut interpreter = builder.build().map_err(|error| error.to_string())?;
    outputs_of(&mut interpreter, inputs).map_err(|error| error.to_string())
}

fn outputs_of(interpreter: &mut Interpreter, inputs: &[(usize, Vec<u8>)]) -> arenite::Result<Bytes> {
    interpreter.allocate()?;
    for (i, data) in inputs {
        interpreter.input_mut(*i)?.into_bytes()?.copy_from_slice(data);
    }
    interpreter.invoke()?;
    (0..interpreter.output_count()).map(|i| Ok(interpreter.output(i)?.bytes()?.to_vec())).collect()
}

#[test]
fn ops_run_or_name_the_missing_interface() {
    let (mut same, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for sound in op_models::all() {
        let model = Model::from_bytes(sound.model.finish()).expect("the model is sound");
        let today = outputs(reference_ops(&model), &sound.inputs);
        take_message();
        let first = outputs(reference_ops(&model).registry(Arc::clone(&FIRST)), &sound.inputs);
        match first {
            Ok(_) => {
                assert_eq!(first, today, "{}", sound.op);
                same.insert(sound.op);
            }
            Err(error) => {
                assert!(error.contains("it is not supported"), "{}: {error}", sound.op);
                let message = take_message();
                assert_eq!(message, "this host runs no subgraphs and keeps no resources", "{}", sound.op);
                refused.insert(sound.op);
            }
        }
    }
    assert_eq!(refused, BTreeSet::from(["CALL_ONCE", "IF", "STABLEHLO_CASE", "WHILE"]));
    assert!(same.len() > 200, "{} ops", same.len());
}

fn digits(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits").join(name);
    Model::from_file(path).expect("the model is sound")
}

const DIGITS: [&str; 2] = ["digits_f32.tflite", "digits_i8.tflite"];

#[test]
fn planners_plan() {
    for name in DIGITS {
        let model = digits(name);
        let today = outputs(reference_ops(&model), &[]).expect("it runs");
        let planners = FIRST.planner_names();
        assert!(planners.len() > 5, "{planners:?}");
        for planner in planners {
            let builder = reference_ops(&model).registry(Arc::clone(&FIRST)).planner(&planner);
            assert_eq!(outputs(builder, &[]).as_ref(), Ok(&today), "{name}, {planner}");
        }
    }
}

/// The delegate comes through a host of contract 1.0, the ops from today's: a delegate claims no builtin op that the
/// program registered.
#[test]
fn the_cpu_delegate_runs_networks() {
    let mut registry = Registry::new();
    add(&mut registry, &library("arenite-plugin-cpu"));
    registry.add_static_plugins().expect("they are linked in");
    let registry = Arc::new(registry);
    for name in DIGITS {
        let model = digits(name);
        let mut today = Interpreter::builder(&model).build().expect("it builds");
        let wanted = outputs_of(&mut today, &[]).expect("it runs");
        let builder = Interpreter::builder(&model).registry(Arc::clone(&registry));
        let builder = builder.delegate(DelegateConfig::new("cpu"));
        let mut first = builder.build().expect("it builds");
        assert_eq!(outputs_of(&mut first, &[]).expect("it runs"), wanted, "{name}");
        let cpu =
            |served: &NodeProvider| matches!(served, NodeProvider::Delegate { name, .. } if name == "cpu");
        let left_out = first.left_out();
        assert!(first.served_by().iter().all(cpu), "{name}: {left_out:?} {:?}", first.refusals());
    }
}

#[test]
fn the_ops_of_the_template_run() {
    let folder = TempDir::new().expect("a temporary folder");
    let cube = include_str!("../../../plugins/template/c/cube.c");
    let c = compile_c(cube, folder.path(), "cube");
    let rust = Some(library("arenite-plugin-template"));
    for (path, op, value) in [(c, "Cube", (|x: f32| x * x * x) as fn(f32) -> f32), (rust, "Sin", f32::sin)] {
        let Some(path) = path else { continue };
        let mut registry = Registry::with_static_plugins().expect("they are linked in");
        add(&mut registry, &path);
        let builder = reference_ops(&custom(op)).registry(Arc::new(registry));
        assert_eq!(run(&mut builder.build().expect("it builds")), [X.map(value)], "{op}");
    }
}
