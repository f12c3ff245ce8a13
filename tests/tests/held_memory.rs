//! What the CPU delegate holds counts against the quota, and is refused before it is allocated: packed weights, tables. Many small
//! matrices need none.

use std::time::{Duration, Instant};

use arenite::{Interpreter, Model, Quota};
use arenite_abi::schema::{BatchMatMulOptions, Conv2DOptions, ResizeBilinearOptions};
use arenite_model::writer::bytes_of;
use arenite_tests::op_models::{OneOp, f32, i32};

fn model(node: OneOp) -> Model {
    Model::from_bytes(node.model().finish()).expect("the file is sound")
}

fn interpreter(model: &Model, bytes: u64) -> Interpreter {
    let quota = Quota { bytes, ..Quota::default() };
    Interpreter::builder(model).threads(1).quota(quota).build().expect("it builds")
}

/// A tensor of one row with so many columns, made of two.
fn wide_image(columns: i32) -> Model {
    let node = OneOp::new("RESIZE_BILINEAR")
        .feed(f32("x", &[1, 1, 2, 1]))
        .constant(i32("size", &[2]), bytes_of(&[1, columns]));
    model(node.output(f32("y", &[1, 1, columns, 1])).options::<ResizeBilinearOptions>(|o| o))
}

/// A convolution of so many groups of one channel.
fn groups(count: i32) -> Model {
    let ones = bytes_of(&vec![1f32; count as usize]);
    let node =
        OneOp::new("CONV_2D").feed(f32("x", &[1, 1, 1, count])).constant(f32("w", &[count, 1, 1, 1]), ones);
    model(
        node.output(f32("y", &[1, 1, 1, count]))
            .options(|o| o.set(Conv2DOptions::STRIDE_H, 1).set(Conv2DOptions::STRIDE_W, 1)),
    )
}

#[test]
fn what_the_quota_has_no_room_for_is_not_allocated() {
    const M: u64 = 1 << 20;
    for (model, tensors, held, what) in [
        (
            wide_image(1 << 20),
            5 * M,
            24 * M,
            "tables of the step of 'y' need 25165824 bytes, the quota leaves",
        ),
        (
            groups(1 << 16),
            2 * M,
            8 * M,
            "packed weights of the step of 'y' need 8388608 bytes, the quota leaves",
        ),
    ] {
        let mut small = interpreter(&model, tensors + held / 2);
        small.allocate().expect("reference ops run it");
        let left_out = small.left_out();
        assert!(left_out[0].reason.contains(what), "{left_out:?}");
        small.invoke().expect("it runs");
        assert!(small.memory_use().delegates < M, "{:?}", small.memory_use());

        let mut large = interpreter(&model, tensors + 2 * held);
        large.allocate().expect("there is room");
        assert_eq!(large.left_out(), []);
        assert!((held..2 * held).contains(&large.memory_use().delegates), "{:?}", large.memory_use());
        large.invoke().expect("it runs");
        let floats = |interpreter: &Interpreter| {
            interpreter.output(0).and_then(|y| y.as_slice::<f32>().map(<[f32]>::to_vec)).expect("floats")
        };
        assert_eq!(floats(&large), floats(&small));
    }
}

/// What is held goes back with the program that held it.
#[test]
fn resizes_take_no_more_and_more() {
    let model = wide_image(1 << 18);
    let mut interpreter = interpreter(&model, 1 << 24);
    let mut most = 0;
    for round in 0..6 {
        interpreter.resize_input(0, &[1, 1, 2 + round, 1]).expect("it can");
        interpreter.allocate().expect("there is room for two programs");
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
    interpreter.allocate().expect("the output has 16 MB");
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    assert_eq!(interpreter.left_out(), []);
    for (i, x) in [(0, 2f32), (1, 3.0)] {
        interpreter.input_mut(i).and_then(|input| input.copy_from_slice(&[x; 2000])).expect("2000 floats");
    }
    interpreter.invoke().expect("it runs");
    let y = interpreter.output(0).expect("it has one");
    assert!(y.as_slice::<f32>().expect("floats").iter().all(|&y| y == 6.0));
}
