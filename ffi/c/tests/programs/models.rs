//! Small models for the test programs.

use std::path::Path;

// The same model as in the tests of arenite-language.
#[path = "../../../../common/language/tests/session/tiny.rs"]
#[allow(dead_code)]
mod tiny;

use arenite_model::tensor_type::{FLOAT32, INT8, INT32, STRING};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

/// The tag of `GatherOptions` in the schema's first union of options.
const GATHER_OPTIONS: u8 = 23;

/// Writes all models to `folder`.
pub(crate) fn write(folder: &Path) {
    let sqrt = sqrt();
    let one = |name: &str| Tensor::new(name, FLOAT32, &[1]);
    // A grayscale picture of 2 x 2 pixels.
    let pixels = |name: &str| Tensor::new(name, FLOAT32, &[1, 2, 2, 1]);
    // y = 0.5 (x + 1), with four int8 elements.
    let halves = |name: &str| match name {
        "x" => Tensor::new(name, INT8, &[4]).quantized(0.5, -1),
        _ => Tensor::new(name, FLOAT32, &[4]),
    };
    let save =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a model is written");
    save("truncated.tflite", &sqrt[..sqrt.len() / 2]);
    save("sqrt.tflite", &sqrt);
    save("custom.tflite", &unary(|model| model.custom("NoSuchOp", 1), one));
    save("root.tflite", &unary(|model| model.builtin("SQRT", 1), one));
    save("strings.tflite", &strings());
    save("signatures.tflite", &signatures());
    save("long.tflite", &long());
    save("quantized.tflite", &unary(|model| model.builtin("DEQUANTIZE", 2), halves));
    save("variable.tflite", &variable());
    save("picture.tflite", &unary(|model| model.builtin("NEG", 1), pixels));
    save("cube.tflite", &cube());
    save("language.tflite", &tiny::model(tiny::Form::default()));
}

/// `y = op(x)`.
fn unary(op: impl FnOnce(&mut ModelBuilder) -> u32, tensor: impl Fn(&str) -> Tensor) -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = op(&mut model);
    let mut graph = SubGraph::new("main");
    let x = graph.input(tensor("x"));
    let y = graph.output(tensor("y"));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    model.finish()
}

/// `y = sqrt(x)`, and a constant that is quantized per channel.
fn sqrt() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.builtin("SQRT", 1);
    let data = model.buffer(bytes_of(&[1i8, -2, 3]));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[2, 3]));
    let middle = graph.tensor(Tensor::new("middle", FLOAT32, &[2, 3]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[2, 3]));
    let channels = Tensor::new("channels", INT8, &[1, 3]).per_channel(&[0.5, 0.25, 0.125], &[0, 0, 0], 1);
    graph.output(channels.buffer(data));
    let abs = model.builtin("RELU", 1);
    graph.operator(Operator::new(abs, &[x], &[middle]));
    graph.operator(Operator::new(op, &[middle], &[y]));
    model.subgraph(graph);
    model.finish()
}

/// `y = -v` for a variable `v`, and `z = -x`; a SQRT in subgraph 1.
fn variable() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let (neg, sqrt) = (model.builtin("NEG", 1), model.builtin("SQRT", 1));
    let one = |name| Tensor::new(name, FLOAT32, &[1]);
    let mut main = SubGraph::new("main");
    let (x, v) = (main.input(one("x")), main.tensor(one("v").variable()));
    let (y, z) = (main.output(one("y")), main.output(one("z")));
    main.operator(Operator::new(neg, &[v], &[y]));
    main.operator(Operator::new(neg, &[x], &[z]));
    model.subgraph(main);
    let mut other = SubGraph::new("other");
    let (a, b) = (other.input(one("a")), other.output(one("b")));
    other.operator(Operator::new(sqrt, &[a], &[b]));
    model.subgraph(other);
    model.finish()
}

/// `y = -(-(-cube(-x)))` with four elements and the custom op Cube.
fn cube() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let (neg, cube) = (model.builtin("NEG", 1), model.custom("Cube", 1));
    let four = |name: &str| Tensor::new(name, FLOAT32, &[4]);
    let mut graph = SubGraph::new("main");
    let x = graph.input(four("x"));
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| graph.tensor(four(name)));
    let y = graph.output(four("y"));
    for (op, from, to) in [(neg, x, a), (cube, a, b), (neg, b, c), (neg, c, d), (neg, d, y)] {
        graph.operator(Operator::new(op, &[from], &[to]));
    }
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
        let x = graph.input(Tensor::new("in", FLOAT32, &[1]).shape_signature(&[-1]));
        let y = graph.output(Tensor::new("out", FLOAT32, &[1]).shape_signature(&[-1]));
        graph.operator(Operator::new(op, &[x], &[y]));
        let subgraph = model.subgraph(graph) as u32;
        model.signature(key, subgraph, &[(input, x)], &[(output, y)]);
    }
    model.finish()
}

/// A chain of 256 SQRT ops with a million elements each.
fn long() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.builtin("SQRT", 1);
    let tensor = |i: usize| Tensor::new(&format!("t{i}"), FLOAT32, &[1024, 1024]);
    let mut graph = SubGraph::new("main");
    let mut last = graph.input(tensor(0));
    for i in 1..=256 {
        let next = if i == 256 { graph.output(tensor(i)) } else { graph.tensor(tensor(i)) };
        graph.operator(Operator::new(op, &[last], &[next]));
        last = next;
    }
    model.subgraph(graph);
    model.finish()
}
