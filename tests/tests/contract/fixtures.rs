//! The fixtures in both languages, and small models for them.

use std::path::PathBuf;
use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::model_file::tensor_type::BOOL;
use arenite::{Interpreter, InterpreterBuilder, Model, NodeProvider, Registry};
use arenite_abi::schema::{AddOptions, IfOptions, MulOptions};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::libraries::{compile_c, library};
use arenite_tests::op_models::f32;
use arenite_tests::options::WithOptions;
use arenite_tests::reference_ops;
use tempfile::TempDir;

const HEADER: &str = include_str!("../../plugins/contract/c/contract_1_0.h");
const SHARED: &str = include_str!("../../plugins/contract/c/fixture.h");

/// A fixture as a library: its language and the name of its entry.
pub(crate) struct Fixture {
    pub language: &'static str,
    pub path: PathBuf,
    pub entry: &'static str,
    _folder: Option<TempDir>,
}

/// The fixture in Rust, and compiled from the C `source` if a compiler is installed.
pub(crate) fn fixtures(source: &str) -> Vec<Fixture> {
    let path = library("arenite-test-contract");
    let rust = Fixture { language: "Rust", path, entry: "arenite_plugin_v1", _folder: None };
    let folder = TempDir::new().expect("a temporary folder");
    let source = format!("{HEADER}{}", source.replace("#include \"fixture.h\"", SHARED));
    let c = compile_c(&source, folder.path(), "fixture");
    let c = c.map(|path| Fixture { language: "C", path, entry: rust.entry, _folder: Some(folder) });
    [Some(rust), c].into_iter().flatten().collect()
}

impl Fixture {
    /// The built-in plugins and the fixture's.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        let mut registry = Registry::with_static_plugins().expect("they are linked in");
        registry.load_file(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.language));
        Arc::new(registry)
    }

    pub(crate) fn builder(&self, model: &Model) -> InterpreterBuilder {
        reference_ops(model).registry(self.registry())
    }

    /// An interpreter whose first node this delegate runs.
    #[track_caller]
    pub(crate) fn delegated(&self, model: &Model, delegate: &str) -> Interpreter {
        let builder = self.builder(model).delegate(DelegateConfig::new(delegate));
        let mut interpreter = builder.build().expect("it builds");
        interpreter.allocate().unwrap_or_else(|error| panic!("{}: {error}", self.language));
        served(&interpreter, delegate);
        interpreter
    }
}

/// Asserts that this delegate runs the first node.
#[track_caller]
pub(crate) fn served(interpreter: &Interpreter, delegate: &str) {
    let by = NodeProvider::Delegate { name: delegate.to_owned(), partition: 0 };
    let left_out = interpreter.left_out();
    assert_eq!(interpreter.served_by()[0], by, "{left_out:?} {:?}", interpreter.refusals());
}

pub(crate) const X: [f32; 4] = [1.0, -2.0, 0.5, 3.0];
pub(crate) const SUM: [f32; 4] = [11.0, 18.0, 30.5, 43.0];

/// All outputs for the input [`X`].
#[track_caller]
pub(crate) fn run(interpreter: &mut Interpreter) -> Vec<Vec<f32>> {
    run_with(interpreter, &X)
}

/// All outputs, with `x` as the first input.
#[track_caller]
pub(crate) fn run_with(interpreter: &mut Interpreter, x: &[f32]) -> Vec<Vec<f32>> {
    interpreter.allocate().expect("it allocates");
    interpreter.input_mut(0).and_then(|input| input.copy_from_slice(x)).expect("it has this shape");
    interpreter.invoke().expect("it runs");
    let floats = |i| interpreter.output(i).and_then(|y| y.as_slice::<f32>().map(<[f32]>::to_vec));
    (0..interpreter.output_count()).map(|i| floats(i).expect("floats")).collect()
}

/// A model of the main graph that `build` makes, and of subgraph 1, `y = x · x`.
pub(crate) fn model(build: impl FnOnce(&mut ModelBuilder, &mut SubGraph)) -> Model {
    let (mut model, mut main, mut square) =
        (ModelBuilder::new(), SubGraph::new("main"), SubGraph::new("square"));
    build(&mut model, &mut main);
    model.subgraph(main);
    let (x, y) = (square.input(f32("x", &[4])), square.output(f32("y", &[4])));
    let mul = model.builtin("MUL", 1);
    square.operator(Operator::new(mul, &[x, x], &[y]).with_options::<MulOptions>(|o| o));
    model.subgraph(square);
    Model::from_bytes(model.finish()).expect("the model is sound")
}

/// `y = op(x)`
pub(crate) fn custom(op: &str) -> Model {
    model(|m, g| {
        let (x, y) = (g.input(f32("x", &[4])), g.output(f32("y", &[4])));
        let code = m.custom(op, 1);
        g.operator(Operator::new(code, &[x], &[y]));
    })
}

/// `y = x + [10, 20, 30, 40]`, with ADD or with the custom op of that name.
pub(crate) fn sum(op: Option<&str>) -> Model {
    model(|m, g| {
        let c = m.buffer(bytes_of(&[10f32, 20.0, 30.0, 40.0]));
        let (x, c) = (g.input(f32("x", &[4])), g.tensor(f32("c", &[4]).buffer(c)));
        let y = g.output(f32("y", &[4]));
        let code = match op {
            None => m.builtin("ADD", 1),
            Some(name) => m.custom(name, 1),
        };
        let node = Operator::new(code, &[x, c], &[y]);
        g.operator(if op.is_none() { node.with_options::<AddOptions>(|o| o) } else { node });
    })
}

/// `y = (x + [10, 20, 30, 40])²`: a sum, and an IF whose branches are both subgraph 1.
pub(crate) fn squared_sum() -> Model {
    model(|m, g| {
        let c = m.buffer(bytes_of(&[10f32, 20.0, 30.0, 40.0]));
        let (x, c) = (g.input(f32("x", &[4])), g.tensor(f32("c", &[4]).buffer(c)));
        let condition = g.input(Tensor::new("condition", BOOL, &[]));
        let (s, y) = (g.tensor(f32("s", &[4])), g.output(f32("y", &[4])));
        let [add, choose] = ["ADD", "IF"].map(|op| m.builtin(op, 1));
        g.operator(Operator::new(add, &[x, c], &[s]).with_options::<AddOptions>(|o| o));
        g.operator(Operator::new(choose, &[condition, s], &[y]).with_options(|o| {
            o.set(IfOptions::THEN_SUBGRAPH_INDEX, 1).set(IfOptions::ELSE_SUBGRAPH_INDEX, 1)
        }));
    })
}
