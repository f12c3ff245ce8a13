//! Writes the seeds of the `model` fuzz target: `cargo run -p arenite-tests --bin fuzz_seeds`.
#![forbid(unsafe_code)]

use arenite_abi::schema::{
    AddOptions, ConcatenationOptions, Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions,
    GatherOptions, GeluOptions, MulOptions, PadOptions, Pool2DOptions, ReducerOptions, SliceOptions,
    SoftmaxOptions, SubOptions, TransposeOptions, activation, padding,
};
use std::path::Path;

use arenite_model::tensor_type::{FLOAT16, FLOAT32, INT8, INT32, STRING};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of, bytes_of_strings};
use arenite_tests::options::WithOptions;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/model");
    std::fs::create_dir_all(&folder)?;
    let seeds: [(&str, Vec<u8>); 7] = [
        ("convolutions", convolutions()),
        ("quantized_layers", quantized_layers()),
        ("dynamic_shapes", dynamic_shapes()),
        ("half_precision", half_precision()),
        ("strings", strings()),
        ("signatures", signatures()),
        ("wide_window", wide_window()),
    ];
    for (name, bytes) in seeds {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// CONV_2D, DEPTHWISE_CONV_2D, pools, PAD, CONCATENATION on small float images.
fn convolutions() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let filter = model.buffer(bytes_of(&[0.25f32; 2 * 3 * 3 * 2]));
    let depthwise = model.buffer(bytes_of(&[0.5f32; 3 * 3 * 2]));
    let pads = model.buffer(bytes_of(&[0i32, 0, 1, 1, 1, 1, 0, 0]));
    let x = graph.input(Tensor::new("x", FLOAT32, &[1, 6, 6, 2]));
    let p = graph.tensor(Tensor::new("pads", INT32, &[4, 2]).buffer(pads));
    let w = graph.tensor(Tensor::new("w", FLOAT32, &[2, 3, 3, 2]).buffer(filter));
    let d = graph.tensor(Tensor::new("d", FLOAT32, &[1, 3, 3, 2]).buffer(depthwise));
    let padded = graph.tensor(Tensor::new("padded", FLOAT32, &[1, 8, 8, 2]));
    let a = graph.tensor(Tensor::new("a", FLOAT32, &[1, 6, 6, 2]));
    let b = graph.tensor(Tensor::new("b", FLOAT32, &[1, 6, 6, 2]));
    let c = graph.tensor(Tensor::new("c", FLOAT32, &[1, 6, 6, 4]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[1, 3, 3, 4]));
    let code = model.builtin("PAD", 1);
    graph.operator(Operator::new(code, &[x, p], &[padded]).with_options::<PadOptions>(|o| o));
    let code = model.builtin("CONV_2D", 1);
    graph.operator(Operator::new(code, &[padded, w, -1], &[a]).with_options(|o| {
        o.set(Conv2DOptions::PADDING, padding::VALID)
            .set(Conv2DOptions::STRIDE_W, 1)
            .set(Conv2DOptions::STRIDE_H, 1)
    }));
    let code = model.builtin("DEPTHWISE_CONV_2D", 1);
    graph.operator(Operator::new(code, &[a, d, -1], &[b]).with_options(|o| {
        o.set(DepthwiseConv2DOptions::PADDING, padding::SAME)
            .set(DepthwiseConv2DOptions::STRIDE_W, 1)
            .set(DepthwiseConv2DOptions::STRIDE_H, 1)
            .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
            .set(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)
    }));
    let code = model.builtin("CONCATENATION", 1);
    graph.operator(Operator::new(code, &[a, b], &[c]).with_options(|o| o.set(ConcatenationOptions::AXIS, 3)));
    let code = model.builtin("MAX_POOL_2D", 1);
    graph.operator(Operator::new(code, &[c], &[y]).with_options(|o| {
        o.set(Pool2DOptions::PADDING, padding::VALID)
            .set(Pool2DOptions::STRIDE_W, 2)
            .set(Pool2DOptions::STRIDE_H, 2)
            .set(Pool2DOptions::FILTER_WIDTH, 2)
            .set(Pool2DOptions::FILTER_HEIGHT, 2)
    }));
    model.subgraph(graph);
    model.finish()
}

/// FULLY_CONNECTED per channel, ADD, SOFTMAX, MEAN, QUANTIZE and DEQUANTIZE on int8.
fn quantized_layers() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let weights = model.buffer((0..12).map(|i| i as u8).collect::<Vec<_>>());
    let bias = model.buffer(bytes_of(&[1i32, -2, 3]));
    let axes = model.buffer(bytes_of(&[1i32]));
    let x = graph.input(Tensor::new("x", FLOAT32, &[2, 4]));
    let q = graph.tensor(Tensor::new("q", INT8, &[2, 4]).quantized(0.1, 3));
    let w = graph.tensor(Tensor::new("w", INT8, &[3, 4]).buffer(weights).per_channel(
        &[0.1, 0.2, 0.3],
        &[0, 0, 0],
        0,
    ));
    let b = graph.tensor(Tensor::new("b", INT32, &[3]).buffer(bias).per_channel(
        &[0.01, 0.02, 0.03],
        &[0, 0, 0],
        0,
    ));
    let axis = graph.tensor(Tensor::new("axis", INT32, &[1]).buffer(axes));
    let f = graph.tensor(Tensor::new("f", INT8, &[2, 3]).quantized(0.2, -5));
    let s = graph.tensor(Tensor::new("s", INT8, &[2, 3]).quantized(0.3, 1));
    let soft = graph.tensor(Tensor::new("soft", INT8, &[2, 3]).quantized(1.0 / 256.0, -128));
    let mean = graph.tensor(Tensor::new("mean", INT8, &[2]).quantized(0.01, 0));
    let y = graph.output(Tensor::new("y", FLOAT32, &[2]));
    let code = model.builtin("QUANTIZE", 1);
    graph.operator(Operator::new(code, &[x], &[q]));
    let code = model.builtin("FULLY_CONNECTED", 4);
    graph.operator(
        Operator::new(code, &[q, w, b], &[f])
            .with_options(|o| o.set(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)),
    );
    let code = model.builtin("ADD", 2);
    graph.operator(Operator::new(code, &[f, f], &[s]).with_options::<AddOptions>(|o| o));
    let code = model.builtin("SOFTMAX", 2);
    graph.operator(Operator::new(code, &[s], &[soft]).with_options(|o| o.set(SoftmaxOptions::BETA, 1.0)));
    let code = model.builtin("MEAN", 2);
    graph.operator(Operator::new(code, &[soft, axis], &[mean]).with_options::<ReducerOptions>(|o| o));
    let code = model.builtin("DEQUANTIZE", 2);
    graph.operator(Operator::new(code, &[mean], &[y]));
    model.subgraph(graph);
    model.finish()
}

/// RESHAPE, SLICE, GATHER and TRANSPOSE with non-constant arguments.
fn dynamic_shapes() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[2, 3]));
    let shape = graph.input(Tensor::new("shape", INT32, &[2]));
    let index = graph.input(Tensor::new("index", INT32, &[2]));
    let r = graph.tensor(Tensor::new("r", FLOAT32, &[3, 2]).shape_signature(&[-1, -1]));
    let g = graph.tensor(Tensor::new("g", FLOAT32, &[2, 2]).shape_signature(&[-1, -1]));
    let t = graph.tensor(Tensor::new("t", FLOAT32, &[2, 2]).shape_signature(&[-1, -1]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[1, 1]).shape_signature(&[-1, -1]));
    let code = model.builtin("RESHAPE", 1);
    graph.operator(Operator::new(code, &[x, shape], &[r]));
    let code = model.builtin("GATHER", 1);
    graph.operator(Operator::new(code, &[r, index], &[g]).with_options::<GatherOptions>(|o| o));
    let code = model.builtin("TRANSPOSE", 1);
    graph.operator(Operator::new(code, &[g, index], &[t]).with_options::<TransposeOptions>(|o| o));
    let code = model.builtin("SLICE", 1);
    graph.operator(Operator::new(code, &[t, index, shape], &[y]).with_options::<SliceOptions>(|o| o));
    model.subgraph(graph);
    model.finish()
}

/// Half-precision weights with a DEQUANTIZE, and elementwise ops with broadcasting.
fn half_precision() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let half = model.buffer(bytes_of(&[0x3c00u16, 0x4000, 0xc000]));
    let x = graph.input(Tensor::new("x", FLOAT32, &[2, 1, 3]));
    let h = graph.tensor(Tensor::new("h", FLOAT16, &[3]).buffer(half));
    let w = graph.tensor(Tensor::new("w", FLOAT32, &[3]));
    let m = graph.tensor(Tensor::new("m", FLOAT32, &[2, 1, 3]));
    let t = graph.tensor(Tensor::new("t", FLOAT32, &[2, 1, 3]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[2, 1, 3]));
    let code = model.builtin("DEQUANTIZE", 3);
    graph.operator(Operator::new(code, &[h], &[w]));
    let code = model.builtin("MUL", 1);
    graph.operator(
        Operator::new(code, &[x, w], &[m])
            .with_options(|o| o.set(MulOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6)),
    );
    let code = model.builtin("TANH", 1);
    graph.operator(Operator::new(code, &[m], &[t]));
    let code = model.builtin("GELU", 1);
    graph.operator(Operator::new(code, &[t], &[y]).with_options(|o| o.set(GeluOptions::APPROXIMATE, true)));
    model.subgraph(graph);
    model.finish()
}

/// A constant of strings, reshaped and gathered.
fn strings() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let words = model.buffer(bytes_of_strings(&["one", "", "three", "f"]));
    let shape = model.buffer(bytes_of(&[2i32, 2]));
    let words = graph.tensor(Tensor::new("words", STRING, &[4]).buffer(words));
    let shape = graph.tensor(Tensor::new("shape", INT32, &[2]).buffer(shape));
    let index = graph.input(Tensor::new("index", INT32, &[1]));
    let r = graph.tensor(Tensor::new("r", STRING, &[2, 2]));
    let y = graph.output(Tensor::new("y", STRING, &[1, 2]));
    let code = model.builtin("RESHAPE", 1);
    graph.operator(Operator::new(code, &[words, shape], &[r]));
    let code = model.builtin("GATHER", 1);
    graph.operator(Operator::new(code, &[r, index], &[y]).with_options::<GatherOptions>(|o| o));
    model.subgraph(graph);
    model.finish()
}

/// Two subgraphs with a signature each, metadata, and a variable.
fn signatures() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    for (k, op) in ["SQRT", "NEG"].into_iter().enumerate() {
        let mut graph = SubGraph::new(op);
        let x = graph.input(Tensor::new("x", FLOAT32, &[4]));
        let v = graph.tensor(Tensor::new("v", FLOAT32, &[4]).variable());
        let s = graph.tensor(Tensor::new("s", FLOAT32, &[4]));
        let y = graph.output(Tensor::new("y", FLOAT32, &[4]));
        let code = model.builtin(op, 1);
        graph.operator(Operator::new(code, &[x], &[s]));
        let code = model.builtin("SUB", 1);
        graph.operator(Operator::new(code, &[s, v], &[y]).with_options::<SubOptions>(|o| o));
        model.subgraph(graph);
        model.signature(op, k as u32, &[("x", x)], &[("y", y)]);
    }
    model.metadata("min_runtime_version", b"1.5.0".to_vec());
    model.finish()
}

/// A pool whose windows cover 64,000 columns at each of 64,000 positions. Only the time quota stops it.
fn wide_window() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", INT8, &[1, 6, 64_000, 3]).quantized(0.1, 0));
    let y = graph.output(Tensor::new("y", INT8, &[1, 2, 64_000, 3]).quantized(0.1, 0));
    let code = model.builtin("MAX_POOL_2D", 2);
    graph.operator(Operator::new(code, &[x], &[y]).with_options(|o| {
        o.set(Pool2DOptions::PADDING, padding::SAME)
            .set(Pool2DOptions::STRIDE_W, 1)
            .set(Pool2DOptions::STRIDE_H, 3)
            .set(Pool2DOptions::FILTER_WIDTH, 64_000)
            .set(Pool2DOptions::FILTER_HEIGHT, 3)
    }));
    model.subgraph(graph);
    model.finish()
}
