//! Too much memory, too many nodes, too much time.

use std::time::Duration;

use arenite::{Interpreter, Model, Quota};
use arenite_abi::schema::{
    AddOptions, BatchMatMulOptions, Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions,
    Pool2DOptions, SlidingWindow, TransposeConvOptions, padding,
};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_test_clock::Clock;
use arenite_tests::op_models::{OneOp, f32, i32};
use arenite_tests::options::Fields;

use crate::{Cases, constant, registry, run_with, sound};

#[test]
fn d25_a_tensor_of_1_tib() {
    let mut cases = Cases::default();
    let huge = [1 << 20, 1 << 18];
    let one = OneOp::new("RELU").feed(f32("x", &huge)).output(f32("y", &huge));
    cases.model(one.model(), "1099511627776");
}

/// Small inputs from which the op computes a huge output shape: as constants, which fail in `allocate`, and as inputs,
/// which fail in `invoke`.
#[test]
fn d25_outputs_that_arithmetic_makes_huge() {
    let mut cases = Cases::default();
    let text = "the quota is";
    let big = 1 << 20;
    for (op, n, i, data) in [
        ("PAD", 0, 1, bytes_of(&[big, big, big, big])),
        ("RESIZE_BILINEAR", 0, 1, bytes_of(&[big, big])),
        ("RESIZE_NEAREST_NEIGHBOR", 0, 1, bytes_of(&[big, big])),
    ] {
        cases.spoilt(sound(op, n), |m| constant(m, i, data.clone()), text);
        cases.fed(sound(op, n + 1), &[(i, data)], text);
    }
    // Sizes that do not fit 64 bits, or a dimension that does not fit 32.
    for (op, n, i, data) in [
        ("PAD", 0, 1, bytes_of(&[i32::MAX; 4])),
        ("RESIZE_BILINEAR", 0, 1, bytes_of(&[i32::MAX; 2])),
        ("RESIZE_NEAREST_NEIGHBOR", 0, 1, bytes_of(&[i32::MAX; 2])),
        ("RESHAPE", 0, 1, bytes_of(&[i32::MAX; 2])),
        ("TRANSPOSE_CONV", 0, 0, bytes_of(&[1, i32::MAX, i32::MAX, 3])),
    ] {
        cases.spoilt(sound(op, n), |m| constant(m, i, data.clone()), "(node 0, output 'output'): ");
        if op != "TRANSPOSE_CONV" {
            cases.fed(sound(op, n + 1), &[(i, data)], "(node 0, output 'output'): ");
        }
    }
    let wide = |name: &str, shape: &[i32]| f32(name, shape);
    let add = OneOp::new("ADD").feed(wide("a", &[1 << 24, 1])).feed(wide("b", &[1, 1 << 24]));
    cases.model(add.output(f32("y", &[1, 1])).options::<AddOptions>(|o| o).model(), text);
    let matmul = OneOp::new("BATCH_MATMUL").feed(wide("a", &[1 << 24, 1])).feed(wide("b", &[1, 1 << 24]));
    cases.model(matmul.output(f32("y", &[1, 1])).options::<BatchMatMulOptions>(|o| o).model(), text);
}

#[test]
fn quota_of_bytes_nodes_and_time() {
    let quota = Quota { bytes: 100, ..Quota::default() };
    let error = run_with(sound("CONV_2D", 0).finish(), quota, &[]).expect_err("more than 100 bytes");
    assert!(error.contains("the quota is 100; raise `bytes` in [quota] if that is right"), "{error}");
    let quota = Quota { nodes: 0, ..Quota::default() };
    let error = run_with(sound("CONV_2D", 0).finish(), quota, &[]).expect_err("one node");
    assert_eq!(error, "the model needs 1 nodes, the quota is 0; raise `nodes` in [quota] if that is right");
    let quota = Quota { time: Some(Duration::ZERO), ..Quota::default() };
    let error = run_with(sound("CONV_2D", 0).finish(), quota, &[]).expect_err("no time at all");
    assert!(error.contains("time"), "{error}");
}

/// Sets padding SAME and a stride of one.
fn window<T: SlidingWindow>(o: Fields<T>) -> Fields<T> {
    let [rows, columns] = T::STRIDES;
    o.set(T::PADDING, padding::SAME).set(rows, 1).set(columns, 1)
}

/// A single node that would run for hours is stopped when its time is over.
#[test]
fn one_node_stops_when_the_time_is_over() {
    let quota = Quota { time: Some(Duration::from_millis(50)), ..Quota::default() };
    let side = 1024;
    let (x, y) = (|| f32("x", &[1, side, side, 1]), || f32("y", &[1, side, side, 1]));
    let filter = |shape: &[i32]| f32("w", shape);
    let mut models = Vec::new();
    for op in ["MAX_POOL_2D", "AVERAGE_POOL_2D"] {
        let fill =
            |o| window(o).set(Pool2DOptions::FILTER_WIDTH, side).set(Pool2DOptions::FILTER_HEIGHT, side);
        models.push((op, OneOp::new(op).feed(x()).output(y()).options(fill).model()));
    }
    let conv = |op| OneOp::new(op).feed(x()).feed(filter(&[1, side, side, 1])).output(y());
    models.push(("CONV_2D", conv("CONV_2D").options(window::<Conv2DOptions>).model()));
    let depthwise =
        conv("DEPTHWISE_CONV_2D").options(|o| window(o).set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1));
    models.push(("DEPTHWISE_CONV_2D", depthwise.model()));
    let shape = OneOp::new("TRANSPOSE_CONV").constant(i32("shape", &[4]), bytes_of(&[1, side, side, 1]));
    let one = shape.feed(filter(&[1, side, side, 1])).feed(x()).output(y());
    models.push(("TRANSPOSE_CONV", one.options(window::<TransposeConvOptions>).model()));
    let wide = [4096, 4096];
    let one = OneOp::new("FULLY_CONNECTED").feed(f32("x", &wide)).feed(filter(&wide)).output(f32("y", &wide));
    models.push(("FULLY_CONNECTED", one.options::<FullyConnectedOptions>(|o| o).model()));
    let one = OneOp::new("BATCH_MATMUL").feed(f32("x", &wide)).feed(filter(&wide)).output(f32("y", &wide));
    models.push(("BATCH_MATMUL", one.options::<BatchMatMulOptions>(|o| o).model()));
    for (op, model) in models {
        // This also asserts that it takes less than a second.
        let error = run_with(model.finish(), quota, &[]).expect_err("it takes longer");
        println!("{op}: {error}");
        assert!(error.contains("time"), "{op}: {error}");
    }
}

/// 10⁵ nodes in a row. A delegate that claims every other one would cut them into half as many partitions.
#[test]
fn d25_too_many_nodes() {
    let mut model = ModelBuilder::new();
    let codes = [model.builtin("RELU", 1), model.builtin("NEG", 1)];
    let mut graph = SubGraph::new("main");
    let mut last = graph.input(Tensor::new("x", FLOAT32, &[4]));
    for i in 0..100_000 {
        let next = graph.tensor(Tensor::new("t", FLOAT32, &[4]));
        graph.operator(Operator::new(codes[i % 2], &[last], &[next]));
        last = next;
    }
    graph.outputs.push(last);
    model.subgraph(graph);
    let bytes = model.finish();
    let clock = Clock::start();
    let model = Model::from_bytes(bytes).expect("it is sound");
    let quota = Quota { nodes: 99_999, ..Quota::default() };
    let build = Interpreter::builder(&model).registry(registry()).quota(quota).build();
    assert!(build.is_err_and(|error| error.to_string().contains("the model needs 100000 nodes")));
    let mut interpreter = Interpreter::builder(&model)
        .registry(registry())
        .threads(1)
        .build()
        .expect("within the default quota");
    interpreter.allocate().expect("an op runs every node");
    interpreter.invoke().expect("it runs");
    clock.at_most(20);
}
