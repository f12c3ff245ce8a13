//! Small models for sequences of calls.

use std::sync::OnceLock;

// The model of arenite-language's tests.
#[path = "../../../common/language/tests/session/tiny.rs"]
#[allow(dead_code)]
mod tiny;

use arenite_model::tensor_type::{FLOAT32, INT8, STRING};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of, bytes_of_strings};
use arenite_tests::op_models::{control, f32};

/// The models, as files.
pub(crate) fn files() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let models = [
            chain(),
            signatures(),
            strings(),
            control::counting_loop(1),
            control::composite(),
            control::variable(true),
        ];
        let mut files: Vec<Vec<u8>> = models.iter().map(ModelBuilder::finish).collect();
        files.push(tiny::model(tiny::Form::default()));
        // A truncated model.
        let cut = files[0][..files[0].len() / 2].to_vec();
        files.push(cut);
        files
    })
}

/// A model of one custom op, "Fuzz".
pub(crate) fn custom() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let (x, y) = (graph.input(f32("x", &[2, 3])), graph.output(f32("y", &[2, 3])));
    let code = model.custom("Fuzz", 1);
    graph.operator(Operator::new(code, &[x], &[y]));
    model.subgraph(graph);
    model.finish()
}

/// Quantizes floats and dequantizes them again, with a constant, and with shapes that may change.
fn chain() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let weights = model.buffer(bytes_of(&[0.5f32, -1.0, 2.0]));
    let [mul, quantize, dequantize] = ["MUL", "QUANTIZE", "DEQUANTIZE"].map(|op| model.builtin(op, 1));
    let x = graph.input(f32("x", &[2, 3]).shape_signature(&[-1, 3]));
    let w = graph.tensor(f32("w", &[3]).buffer(weights));
    let m = graph.tensor(f32("m", &[2, 3]));
    let q = graph.output(Tensor::new("q", INT8, &[2, 3]).quantized(0.05, 3));
    let y = graph.output(f32("y", &[2, 3]));
    graph.operator(Operator::new(mul, &[x, w], &[m]));
    graph.operator(Operator::new(quantize, &[m], &[q]));
    graph.operator(Operator::new(dequantize, &[q], &[y]));
    model.subgraph(graph);
    model
}

/// Two signatures. The second one's subgraph adds its input to a variable.
fn signatures() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let add = model.builtin("ADD", 1);
    for (k, key) in ["double", "sum"].into_iter().enumerate() {
        let mut graph = SubGraph::new(key);
        let (x, y) = (graph.input(f32("x", &[4])), graph.output(f32("y", &[4])));
        if k == 0 {
            graph.operator(Operator::new(add, &[x, x], &[y]));
        } else {
            let abs = model.builtin("ABS", 1);
            let v = graph.tensor(Tensor::new("v", FLOAT32, &[4]).variable());
            graph.operator(Operator::new(add, &[x, v], &[y]));
            graph.operator(Operator::new(abs, &[y], &[v]));
        }
        model.subgraph(graph);
        model.signature(key, k as u32, &[("x", x)], &[("y", y)]);
    }
    model
}

/// Strings that are gathered by an index.
fn strings() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let words = model.buffer(bytes_of_strings(&["one", "", "three"]));
    let index = model.buffer(bytes_of(&[2i32, 0]));
    let x = graph.input(Tensor::new("x", STRING, &[3]));
    let w = graph.tensor(Tensor::new("w", STRING, &[3]).buffer(words));
    let i = graph.tensor(Tensor::new("i", arenite_model::tensor_type::INT32, &[2]).buffer(index));
    let y = graph.output(Tensor::new("y", STRING, &[2]));
    let z = graph.output(Tensor::new("z", STRING, &[2]));
    let gather = model.builtin("GATHER", 1);
    graph.operator(Operator::new(gather, &[x, i], &[y]));
    graph.operator(Operator::new(gather, &[w, i], &[z]));
    model.subgraph(graph);
    model
}
