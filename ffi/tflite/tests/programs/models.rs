//! Small models for the test programs.

use std::path::Path;

use arenite_model::tensor_type::{BOOL, FLOAT32, INT8, INT32, INT64, STRING};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

/// The tag of `GatherOptions` in the schema's first union of options.
const GATHER_OPTIONS: u8 = 23;

/// Writes all models to `folder`.
pub(crate) fn write(folder: &Path) {
    let models = [
        ("sqrt.tflite", unary("SQRT", 1, |name| Tensor::new(name, FLOAT32, &[4]))),
        (
            "batch.tflite",
            unary("SQRT", 1, |name| Tensor::new(name, FLOAT32, &[1, 2]).shape_signature(&[-1, 2])),
        ),
        ("quantized.tflite", unary("RELU", 2, |name| Tensor::new(name, INT8, &[4]).quantized(0.5, -3))),
        ("unknown_builtin.tflite", unary("SQRT", 99, |name| Tensor::new(name, FLOAT32, &[4]))),
        ("fan.tflite", fan()),
        ("chain.tflite", chain()),
        ("custom.tflite", custom(&[4], &[4], &[])),
        ("grow.tflite", custom(&[4], &[8], b"2")),
        ("add_constant.tflite", add_constant()),
        ("where.tflite", where_true()),
        ("strings.tflite", strings()),
        ("signatures.tflite", signatures()),
        ("variable.tflite", variable()),
    ];
    for (name, bytes) in models {
        std::fs::write(folder.join(name), bytes).expect("a model is written");
    }
}

/// `y = op(x)`, where both tensors have the same properties.
fn unary(op: &str, version: i32, tensor: impl Fn(&str) -> Tensor) -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.builtin(op, version);
    let mut graph = SubGraph::new("main");
    let x = graph.input(tensor("x"));
    let y = graph.output(tensor("y"));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    model.finish()
}

/// ABS and NEG of `x`; the ABS of the first result plus the second.
fn fan() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let [abs, neg, add] = ["ABS", "NEG", "ADD"].map(|op| model.builtin(op, 1));
    let mut graph = SubGraph::new("main");
    let tensor = |name| Tensor::new(name, FLOAT32, &[4]);
    let x = graph.input(tensor("x"));
    let [a, b, c] = ["a", "b", "c"].map(|name| graph.tensor(tensor(name)));
    let y = graph.output(tensor("y"));
    graph.operator(Operator::new(abs, &[x], &[a]));
    graph.operator(Operator::new(neg, &[x], &[b]));
    graph.operator(Operator::new(abs, &[a], &[c]));
    graph.operator(Operator::new(add, &[b, c], &[y]).options(11, |options| options));
    model.subgraph(graph);
    model.finish()
}

/// `y = ABS(NEG(ABS(x)))`.
fn chain() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let [abs, neg] = ["ABS", "NEG"].map(|op| model.builtin(op, 1));
    let mut graph = SubGraph::new("main");
    let tensor = |name| Tensor::new(name, FLOAT32, &[4]);
    let x = graph.input(tensor("x"));
    let [a, b] = ["a", "b"].map(|name| graph.tensor(tensor(name)));
    let y = graph.output(tensor("y"));
    for (op, from, to) in [(abs, x, a), (neg, a, b), (abs, b, y)] {
        graph.operator(Operator::new(op, &[from], &[to]));
    }
    model.subgraph(graph);
    model.finish()
}

/// A custom op `Own` between two NEG ops, so that its tensors are neither inputs nor outputs of the model.
fn custom(input: &[i32], output: &[i32], options: &[u8]) -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let (own, neg) = (model.custom("Own", 1), model.builtin("NEG", 1));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, input));
    let a = graph.tensor(Tensor::new("a", FLOAT32, input));
    let b = graph.tensor(Tensor::new("b", FLOAT32, output));
    let y = graph.output(Tensor::new("y", FLOAT32, output));
    graph.operator(Operator::new(neg, &[x], &[a]));
    graph.operator(Operator::new(own, &[a], &[b]).custom_options(options));
    graph.operator(Operator::new(neg, &[b], &[y]));
    model.subgraph(graph);
    model.metadata("made_by", *b"tests");
    model.finish()
}

/// `y = x + (1, 2, 3, 4)`.
fn add_constant() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.builtin("ADD", 1);
    let data = model.buffer(bytes_of(&[1f32, 2.0, 3.0, 4.0]));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[4]));
    let c = graph.tensor(Tensor::new("c", FLOAT32, &[4]).buffer(data));
    let y = graph.output(Tensor::new("y", FLOAT32, &[4]));
    graph.operator(Operator::new(op, &[x, c], &[y]).options(11, |options| options));
    model.subgraph(graph);
    model.finish()
}

/// The indices of the elements of `x` that are true. The number of rows is their number.
fn where_true() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.builtin("WHERE", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", BOOL, &[4]));
    let y = graph.output(Tensor::new("y", INT64, &[0, 1]));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    model.finish()
}

/// Gathers the third and the first of three strings.
fn strings() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.builtin("GATHER", 3);
    let indices = model.buffer(bytes_of(&[2i32, 0]));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", STRING, &[3]));
    let i = graph.tensor(Tensor::new("i", INT32, &[2]).buffer(indices));
    let y = graph.output(Tensor::new("y", STRING, &[2]));
    graph.operator(Operator::new(op, &[x, i], &[y]).options(GATHER_OPTIONS, |options| options));
    model.subgraph(graph);
    model.finish()
}

/// A SQRT in subgraph 0 and a NEG in subgraph 1, each with a signature.
fn signatures() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    for (op, key, input, output) in [("SQRT", "root", "x", "y"), ("NEG", "negate", "value", "negated")] {
        let op = model.builtin(op, 1);
        let mut graph = SubGraph::new(key);
        let x = graph.input(Tensor::new("in", FLOAT32, &[1, 2]).shape_signature(&[-1, 2]));
        let y = graph.output(Tensor::new("out", FLOAT32, &[1, 2]).shape_signature(&[-1, 2]));
        graph.operator(Operator::new(op, &[x], &[y]));
        let subgraph = model.subgraph(graph) as u32;
        model.signature(key, subgraph, &[(input, x)], &[(output, y)]);
    }
    model.finish()
}

/// A custom op `Count` with `x` and a variable as inputs.
fn variable() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.custom("Count", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[1]));
    let state = graph.tensor(Tensor::new("state", FLOAT32, &[1]).variable());
    let y = graph.output(Tensor::new("y", FLOAT32, &[1]));
    graph.operator(Operator::new(op, &[x, state], &[y]));
    model.subgraph(graph);
    model.finish()
}
