//! Small models.

use arenite::model_file::{
    tensor_type::{FLOAT32, INT32},
    writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of},
};
use arenite::{Interpreter, Model};
use arenite_abi::schema::{AddOptions, ConcatenationOptions, MulOptions};
use arenite_tests::options::WithOptions;

/// A model of one subgraph.
pub(crate) fn model(build: impl FnOnce(&mut ModelBuilder, &mut SubGraph)) -> Model {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    build(&mut model, &mut graph);
    model.subgraph(graph);
    Model::from_bytes(model.finish()).expect("the model is sound")
}

/// Adds `y = op(inputs)`.
pub(crate) fn node(model: &mut ModelBuilder, graph: &mut SubGraph, op: &str, inputs: &[i32], y: i32) {
    let code = match op {
        "Sin" | "Accumulate" | "Address" | "Count" | "Wait" | "Nothing" | "Scale" => model.custom(op, 1),
        op => model.builtin(op, 1),
    };
    let node = Operator::new(code, inputs, &[y]);
    graph.operator(match op {
        "ADD" => node.with_options::<AddOptions>(|o| o),
        "MUL" => node.with_options::<MulOptions>(|o| o),
        "CONCATENATION" => node.with_options::<ConcatenationOptions>(|o| o),
        _ => node,
    });
}

pub(crate) fn f32s(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, FLOAT32, shape)
}

/// A constant list of integers.
pub(crate) fn list(model: &mut ModelBuilder, graph: &mut SubGraph, name: &str, values: &[i32]) -> i32 {
    let buffer = model.buffer(bytes_of(values));
    graph.tensor(Tensor::new(name, INT32, &[values.len() as i32]).buffer(buffer))
}

/// `y = -x`, with this shape.
pub(crate) fn negation(shape: &[i32]) -> Model {
    model(|m, g| {
        let (x, y) = (g.input(f32s("x", shape)), g.output(f32s("y", shape)));
        node(m, g, "NEG", &[x], y);
    })
}

/// `y = (reshape(x, shape) + row) → −`, where `shape` is an input.
///
/// ```text
/// x [n] ─► RESHAPE ─► r [?] ─► ADD ─► s ─► NEG ─► y
/// shape ──────┘        row ─────┘
/// ```
pub(crate) fn dynamic_chain(rank: i32, row: &[i32]) -> Model {
    model(|m, g| {
        let x = g.input(f32s("x", &[6]));
        let shape = g.input(Tensor::new("shape", INT32, &[rank]));
        let row = g.input(f32s("row", row));
        let unknown = [1, 1];
        let (r, s) = (g.tensor(f32s("r", &unknown)), g.tensor(f32s("s", &unknown)));
        let y = g.output(f32s("y", &unknown));
        node(m, g, "RESHAPE", &[x, shape], r);
        node(m, g, "ADD", &[r, row], s);
        node(m, g, "NEG", &[s], y);
    })
}

pub(crate) fn allocated(model: &Model) -> Interpreter {
    let mut interpreter = Interpreter::builder(model).threads(1).build().expect("it builds");
    interpreter.allocate().expect("it allocates");
    interpreter
}

pub(crate) fn output(interpreter: &Interpreter, i: usize) -> (Vec<i32>, Vec<f32>) {
    let tensor = interpreter.output(i).expect("one exists");
    (tensor.shape.to_vec(), tensor.as_slice::<f32>().expect("it has data").to_vec())
}

#[track_caller]
pub(crate) fn message<T>(result: arenite::Result<T>) -> String {
    result.err().expect("the value is rejected").to_string()
}
