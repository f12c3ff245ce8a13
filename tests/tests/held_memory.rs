//! Memory that the CPU delegate holds (packed weights, tables) counts against the quota, which is checked before the
//! allocation. Many small matrices need none.

use std::time::{Duration, Instant};

use arenite::{Interpreter, Model, Quota};
use arenite_abi::schema::{BatchMatMulOptions, Conv2DOptions, FullyConnectedOptions, ResizeBilinearOptions};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, bytes_of};
use arenite_tests::op_models::{OneOp, f32, i32};
use arenite_tests::options::WithOptions;

fn model(node: OneOp) -> Model {
    Model::from_bytes(node.model().finish()).expect("the file is sound")
}

fn interpreter(model: &Model, bytes: u64) -> Interpreter {
    let quota = Quota { bytes, ..Quota::default() };
    Interpreter::builder(model).threads(1).quota(quota).build().expect("it builds")
}

/// A tensor of one row with `columns` columns, concatenated from two.
fn wide_image(columns: i32) -> Model {
    let node = OneOp::new("RESIZE_BILINEAR")
        .feed(f32("x", &[1, 1, 2, 1]))
        .constant(i32("size", &[2]), bytes_of(&[1, columns]));
    model(node.output(f32("y", &[1, 1, columns, 1])).options::<ResizeBilinearOptions>(|o| o))
}

/// A product with a square matrix of this size.
fn product(size: i32) -> Model {
    let ones = bytes_of(&vec![1f32; (size * size) as usize]);
    let node =
        OneOp::new("FULLY_CONNECTED").feed(f32("x", &[1, size])).constant(f32("w", &[size, size]), ones);
    model(node.output(f32("y", &[1, size])).options::<FullyConnectedOptions>(|o| o))
}

/// A convolution of `count` groups of one channel.
fn groups(count: i32) -> Model {
    let ones = bytes_of(&vec![1f32; count as usize]);
    let node =
        OneOp::new("CONV_2D").feed(f32("x", &[1, 1, 1, count])).constant(f32("w", &[count, 1, 1, 1]), ones);
    model(
        node.output(f32("y", &[1, 1, 1, count]))
            .options(|o| o.set(Conv2DOptions::STRIDE_H, 1).set(Conv2DOptions::STRIDE_W, 1)),
    )
}

/// The size depends on the instruction set: panels of packed weights have 1 to 32 columns, and a group of one channel
/// takes a whole panel.
#[test]
fn memory_beyond_the_quota_is_not_allocated() {
    const M: u64 = 1 << 20;
    for (model, tensors, expected, what) in [
        (wide_image(1 << 20), 5 * M, 24 * M..25 * M, "tables"),
        (product(1 << 10), M / 8, 4 * M..5 * M, "packed weights"),
        (groups(1 << 16), 2 * M, M / 4..9 * M, "packed weights"),
    ] {
        let mut large = interpreter(&model, tensors + 2 * expected.end);
        large.allocate().expect("the memory suffices");
        assert_eq!(large.left_out(), []);
        let held = large.memory_use().delegates;
        assert!(expected.contains(&held), "{held} bytes held");
        large.invoke().expect("it runs");

        if held < 2 * tensors {
            // The reference ops need as much.
            assert!(what == "packed weights" && expected.start < M, "{held} bytes held");
            continue;
        }
        let expected_values = floats(&large);
        // Its weights would be shared.
        drop(large);
        let mut small = interpreter(&model, tensors + held / 2);
        small.allocate().expect("reference ops run it");
        let left_out = small.left_out();
        let reason = left_out.first().map_or("no delegate was skipped", |one| &one.reason);
        let needed =
            words_between(reason, &format!("{what} of the step of 'y' need "), " bytes, the quota leaves");
        let needed: u64 = needed.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{reason}"));
        assert!(needed <= held && needed > held - M / 8, "needs {needed} bytes, but {held} were held");
        small.invoke().expect("it runs");
        assert!(small.memory_use().delegates < M, "{:?}", small.memory_use());

        assert_eq!(floats(&small), expected_values);
    }
}

fn floats(interpreter: &Interpreter) -> Vec<f32> {
    interpreter.output(0).and_then(|y| y.as_slice::<f32>().map(<[f32]>::to_vec)).expect("floats")
}

fn words_between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(between, _)| between)
}

/// A file with two signatures that multiply by the same 256 × 256 weights, one row and eight.
fn rows_of_one_and_eight() -> Model {
    let mut model = ModelBuilder::new();
    let code = model.builtin("FULLY_CONNECTED", 1);
    let weights = model.buffer(bytes_of(&vec![0.5f32; 256 * 256]));
    for (subgraph, (name, rows)) in (0..).zip([("decode", 1), ("prefill", 8)]) {
        let mut graph = SubGraph::new(name);
        let x = graph.input(f32("x", &[rows, 256]));
        let w = graph.tensor(f32("w", &[256, 256]).buffer(weights));
        let y = graph.output(f32("y", &[rows, 256]));
        graph.operator(Operator::new(code, &[x, w], &[y]).with_options::<FullyConnectedOptions>(|o| o));
        model.subgraph(graph);
        model.signature(name, subgraph, &[("x", x)], &[("y", y)]);
    }
    Model::from_bytes(model.finish()).expect("the file is sound")
}

#[test]
fn interpreters_of_one_model_share_packed_weights() {
    let model = product(1 << 8);
    let held = [(); 2].map(|()| {
        let mut interpreter = interpreter(&model, 1 << 24);
        interpreter.allocate().expect("the memory suffices");
        interpreter
    });
    let [first, second] = held.each_ref().map(|interpreter| interpreter.memory_use().delegates);
    assert!(first >= 1 << 18 && second < 1 << 12, "{first} and {second}");
    drop(held);
    let mut third = interpreter(&model, 1 << 24);
    third.allocate().expect("the memory suffices");
    assert_eq!(third.memory_use().delegates, first, "nothing is left of the weights");
}

#[test]
fn signatures_share_packed_weights() {
    let model = rows_of_one_and_eight();
    for order in [["decode", "prefill"], ["prefill", "decode"]] {
        let mut interpreter = interpreter(&model, 1 << 24);
        let held = order.map(|key| {
            let mut signature = interpreter.signature(key).expect("it exists");
            signature.allocate().expect("it allocates");
            let ones = vec![1f32; signature.input("x").expect("x").shape.iter().product::<i32>() as usize];
            signature.input_mut("x").and_then(|x| x.copy_from_slice(&ones)).expect("floats");
            signature.invoke().expect("it runs");
            let output = signature.output("y").expect("y");
            assert!(output.as_slice::<f32>().is_ok_and(|y| y.iter().all(|&y| y == 128.0)), "{key}");
            interpreter.memory_use().delegates
        });
        let packed = 256 * 256 * 4;
        assert!(held[0] >= packed && held[1] < packed + packed / 4, "{order:?}: {held:?}");
    }
}

/// A program's memory is released with it.
#[test]
fn repeated_resizes_do_not_accumulate_memory() {
    let model = wide_image(1 << 18);
    let mut interpreter = interpreter(&model, 1 << 24);
    let mut most = 0;
    for round in 0..6 {
        interpreter.resize_input(0, &[1, 1, 2 + round, 1]).expect("it compiles");
        interpreter.allocate().expect("the memory suffices");
        assert_eq!(interpreter.left_out(), []);
        let held = interpreter.memory_use().delegates;
        assert!(round < 2 || held == most, "round {round}: {held}, not {most}");
        most = most.max(held);
    }
}

/// 4 million products of one element each.
#[test]
fn many_small_matrices_need_no_tables() {
    let node = OneOp::new("BATCH_MATMUL").feed(f32("a", &[2000, 1, 1, 1])).feed(f32("b", &[1, 2000, 1, 1]));
    let model = model(node.output(f32("y", &[2000, 2000, 1, 1])).options::<BatchMatMulOptions>(|o| o));
    let mut interpreter = interpreter(&model, 1 << 25);
    let start = Instant::now();
    interpreter.allocate().expect("the output of 16 MB");
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    assert_eq!(interpreter.left_out(), []);
    for (i, x) in [(0, 2f32), (1, 3.0)] {
        interpreter.input_mut(i).and_then(|input| input.copy_from_slice(&[x; 2000])).expect("2000 floats");
    }
    interpreter.invoke().expect("it runs");
    let y = interpreter.output(0).expect("it exists");
    assert!(y.as_slice::<f32>().expect("floats").iter().all(|&y| y == 6.0));
}
