//! Single ops on the GPU delegates, whose results agree with the reference ops.

use arenite::{Interpreter, Model, NodeProvider};
use arenite_abi::schema::{
    AddOptions, ConcatenationOptions, Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions,
    MulOptions, Pool2DOptions, ReducerOptions, ResizeBilinearOptions, ResizeNearestNeighborOptions,
    SoftmaxOptions, SubOptions, activation, padding,
};
use arenite_model::writer::bytes_of;
use arenite_tests::op_models::{OneOp, f32, i32};

use super::{Backend, backends, config};

pub(super) fn model(node: OneOp) -> Model {
    Model::from_bytes(node.model().finish()).expect("the file is sound")
}

/// Numbers of both signs with a long period.
pub(super) fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 11) % 101) as f32 / 25.0 - 2.0).collect()
}

pub(super) fn weights(shape: &[i32]) -> Vec<u8> {
    bytes_of(&numbers(shape.iter().product::<i32>() as usize, 5))
}

pub(super) fn run(interpreter: &mut Interpreter) -> Vec<Vec<f32>> {
    interpreter.allocate().expect("it allocates");
    for i in 0..interpreter.input_count() {
        let count = interpreter.input(i).expect("an input").shape.iter().product::<i32>();
        let values = numbers(count as usize, i + 1);
        interpreter.input_mut(i).and_then(|x| x.copy_from_slice(&values)).expect("floats");
    }
    interpreter.invoke().expect("it runs");
    let outputs = 0..interpreter.output_count();
    outputs
        .map(|i| interpreter.output(i).and_then(|y| y.as_slice().map(<[f32]>::to_vec)).expect("floats"))
        .collect()
}

pub(super) fn on_device(backend: Backend, model: &Model, options: &[(&str, &str)]) -> Interpreter {
    arenite_tests::reference_ops(model)
        .delegate(config(backend.delegate, options))
        .build()
        .expect("it builds")
}

/// Runs all nodes on each device, in each precision and with each storage, and compares with the reference ops.
pub(super) fn agrees(what: &str, model: &Model) {
    agrees_with(what, model, &[], |_| true);
}

/// The same with options, on the backends that have them.
fn agrees_with(what: &str, model: &Model, options: &[(&str, &str)], has: fn(&Backend) -> bool) {
    let want = run(&mut arenite_tests::reference_ops(model).build().expect("it builds"));
    for (backend, (way, tolerance)) in
        backends().filter(has).flat_map(|backend| backend.ways().map(move |way| (backend, way)))
    {
        let what = format!("{what}, {}, {way:?}", backend.title);
        let options = [options, &way].concat();
        let mut interpreter = on_device(backend, model, &options);
        // Twice: the second invocation must not depend on data that the first left in shared memory.
        run(&mut interpreter);
        let got = run(&mut interpreter);
        assert_eq!(interpreter.left_out(), [], "{what}");
        let is_there = |served: &NodeProvider| matches!(served, NodeProvider::Delegate { name, .. } if name == backend.delegate);
        assert!(interpreter.served_by().iter().all(is_there), "{what}: {:?}", interpreter.refusals());
        for (want, got) in want.iter().zip(&got) {
            let largest = want.iter().fold(1e-3f32, |most, x| most.max(x.abs()));
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance * largest;
            let differs = want.iter().zip(got).position(|pair| !is_near(pair));
            assert_eq!(differs, None, "{what}: {want:?} {got:?}");
        }
    }
}

pub(super) fn conv(shape: [i32; 4], filter: [i32; 4], stride: i32, padding: i8, activation: i8) -> OneOp {
    let out = |n: i32, taps: i32| match padding {
        padding::SAME => (n + stride - 1) / stride,
        _ => (n - taps) / stride + 1,
    };
    let y = [shape[0], out(shape[1], filter[1]), out(shape[2], filter[2]), filter[0]];
    OneOp::new("CONV_2D")
        .feed(f32("x", &shape))
        .constant(f32("w", &filter), weights(&filter))
        .constant(f32("b", &filter[..1]), weights(&filter[..1]))
        .output(f32("y", &y))
        .options(|o| {
            o.set(Conv2DOptions::PADDING, padding)
                .set(Conv2DOptions::STRIDE_H, stride)
                .set(Conv2DOptions::STRIDE_W, stride)
                .set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, activation)
        })
}

fn depthwise(channels: i32, multiplier: i32) -> OneOp {
    let filter = [1, 3, 2, channels * multiplier];
    OneOp::new("DEPTHWISE_CONV_2D")
        .feed(f32("x", &[2, 5, 6, channels]))
        .constant(f32("w", &filter), weights(&filter))
        .output(f32("y", &[2, 5, 6, channels * multiplier]))
        .options(|o| {
            o.set(DepthwiseConv2DOptions::PADDING, padding::SAME)
                .set(DepthwiseConv2DOptions::STRIDE_H, 1)
                .set(DepthwiseConv2DOptions::STRIDE_W, 1)
                .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, multiplier)
        })
}

fn pool(op: &str, channels: i32) -> OneOp {
    OneOp::new(op).feed(f32("x", &[1, 5, 7, channels])).output(f32("y", &[1, 3, 4, channels])).options(|o| {
        o.set(Pool2DOptions::PADDING, padding::SAME)
            .set(Pool2DOptions::STRIDE_H, 2)
            .set(Pool2DOptions::STRIDE_W, 2)
            .set(Pool2DOptions::FILTER_HEIGHT, 3)
            .set(Pool2DOptions::FILTER_WIDTH, 3)
    })
}

fn mean(axes: &[i32], to: &[i32]) -> OneOp {
    OneOp::new("MEAN")
        .feed(f32("x", &[2, 3, 4, 6]))
        .constant(i32("axes", &[axes.len() as i32]), bytes_of(axes))
        .output(f32("y", to))
        .options(|o| o.set(ReducerOptions::KEEP_DIMS, to.len() == 4))
}

#[test]
fn products_and_pools_agree_with_reference_ops() {
    for (what, node) in [
        ("3 × 3, odd channel counts", conv([1, 6, 7, 3], [5, 3, 3, 3], 1, padding::SAME, activation::RELU)),
        ("with a stride", conv([2, 9, 8, 4], [8, 3, 3, 4], 2, padding::VALID, activation::RELU6)),
        ("of points", conv([1, 3, 5, 7], [9, 1, 1, 7], 1, padding::SAME, activation::NONE)),
        (
            "channels in full slices",
            conv([1, 4, 4, 8], [4, 2, 2, 8], 1, padding::SAME, activation::RELU_N1_TO_1),
        ),
        ("depthwise", depthwise(5, 1)),
        ("depthwise with a multiplier", depthwise(3, 2)),
        ("mean pool", pool("AVERAGE_POOL_2D", 3)),
        ("largest", pool("MAX_POOL_2D", 8)),
        (
            "fully connected on an image",
            OneOp::new("FULLY_CONNECTED")
                .feed(f32("x", &[1, 2, 3, 5]))
                .constant(f32("w", &[7, 30]), weights(&[7, 30]))
                .constant(f32("b", &[7]), weights(&[7]))
                .output(f32("y", &[1, 7]))
                .options::<FullyConnectedOptions>(|o| o),
        ),
    ] {
        agrees(what, &model(node));
    }
}

/// Tiles that extend past the image, batches of images, channels that do not fill slices.
#[test]
fn winograd_convolutions_agree_with_reference_ops() {
    for (what, node, products) in [
        ("odd sizes", conv([2, 6, 7, 3], [5, 3, 3, 3], 1, padding::SAME, activation::RELU), "auto"),
        ("no border", conv([1, 9, 10, 8], [6, 3, 3, 8], 1, padding::VALID, activation::NONE), "auto"),
        ("one pixel", conv([1, 3, 3, 4], [4, 3, 3, 4], 1, padding::VALID, activation::NONE), "auto"),
        (
            "through local memory",
            conv([1, 6, 7, 8], [8, 3, 3, 8], 1, padding::SAME, activation::RELU6),
            "tiled",
        ),
    ] {
        let model = model(node);
        let options = [("products", products), ("winograd", "true")];
        agrees_with(what, &model, &options, |_| true);
    }
    for backend in backends() {
        let kernels = |size, channels, winograd| {
            let model = model(conv(
                [1, size, size, channels],
                [64, 3, 3, channels],
                1,
                padding::SAME,
                activation::NONE,
            ));
            let mut interpreter = on_device(backend, &model, &[("winograd", winograd)]);
            interpreter.allocate().expect("it allocates");
            let facts = interpreter.facts().into_iter().flat_map(|partition| partition.facts);
            let kernels = facts.filter(|fact| fact.key == "kernels of an invocation").map(|fact| fact.value);
            kernels.collect::<Vec<_>>()
        };
        let counts = |count| vec![arenite::FactValue::Number(count, String::new())];
        assert_eq!(kernels(24, 64, "auto"), counts(3), "large");
        assert_eq!(kernels(24, 32, "auto"), counts(1), "few channels");
        assert_eq!(kernels(24, 64, "false"), counts(1), "switched off");
    }
}

#[test]
fn rows_and_reductions_agree_with_reference_ops() {
    for (what, node) in [
        ("mean over images", mean(&[1, 2], &[2, 6])),
        ("mean over rows", mean(&[3], &[2, 3, 4, 1])),
        ("mean over everything", mean(&[0, 1, 2, 3], &[1, 1, 1, 1])),
        (
            "softmax",
            OneOp::new("SOFTMAX")
                .feed(f32("x", &[3, 7]))
                .output(f32("y", &[3, 7]))
                .options(|o| o.set(SoftmaxOptions::BETA, 0.5)),
        ),
    ] {
        agrees(what, &model(node));
    }
}

#[test]
fn moves_and_functions_of_two_tensors_agree_with_reference_ops() {
    let binary = |op: &str, a: &[i32], b: &[i32], y: &[i32]| {
        OneOp::new(op).feed(f32("a", a)).feed(f32("b", b)).output(f32("y", y))
    };
    for (what, node) in [
        (
            "rows of length 1",
            OneOp::new("L2_NORMALIZATION").feed(f32("x", &[3, 7])).output(f32("y", &[3, 7])).defaults(),
        ),
        (
            "concatenation of partial slices",
            binary("CONCATENATION", &[2, 3, 3], &[2, 3, 2], &[2, 3, 5])
                .options(|o| o.set(ConcatenationOptions::AXIS, 2)),
        ),
        (
            "concatenation of full slices",
            binary("CONCATENATION", &[2, 3, 8], &[2, 3, 4], &[2, 3, 12])
                .options(|o| o.set(ConcatenationOptions::AXIS, 2)),
        ),
        (
            "pad",
            OneOp::new("PAD")
                .feed(f32("x", &[1, 2, 3, 3]))
                .constant(i32("pads", &[4, 2]), bytes_of(&[0, 0, 1, 2, 0, 1, 1, 0]))
                .output(f32("y", &[1, 5, 4, 4]))
                .defaults(),
        ),
        (
            "bilinear",
            OneOp::new("RESIZE_BILINEAR")
                .feed(f32("x", &[1, 3, 4, 5]))
                .constant(i32("size", &[2]), bytes_of(&[5, 7]))
                .output(f32("y", &[1, 5, 7, 5]))
                .options(|o| o.set(ResizeBilinearOptions::HALF_PIXEL_CENTERS, true)),
        ),
        (
            "nearest",
            OneOp::new("RESIZE_NEAREST_NEIGHBOR")
                .feed(f32("x", &[2, 3, 4, 2]))
                .constant(i32("size", &[2]), bytes_of(&[5, 2]))
                .output(f32("y", &[2, 5, 2, 2]))
                .options::<ResizeNearestNeighborOptions>(|o| o),
        ),
        ("a row for each row", binary("ADD", &[2, 3, 5], &[5], &[2, 3, 5]).options::<AddOptions>(|o| o)),
        (
            "a number for each row",
            binary("MUL", &[2, 3, 5], &[3, 1], &[2, 3, 5]).options::<MulOptions>(|o| o),
        ),
        (
            "both operands are broadcast",
            binary("SUB", &[2, 1, 6], &[3, 1], &[2, 3, 6]).options::<SubOptions>(|o| o),
        ),
        ("one shape", binary("MAXIMUM", &[7, 3], &[7, 3], &[7, 3]).defaults()),
    ] {
        agrees(what, &model(node));
    }
}

#[test]
fn functions_agree_with_reference_ops() {
    for op in [
        "ABS",
        "NEG",
        "SQUARE",
        "EXP",
        "LOGISTIC",
        "TANH",
        "HARD_SWISH",
        "ELU",
        "RELU",
        "RELU6",
        "FLOOR",
        "CEIL",
        "ROUND",
    ] {
        agrees(op, &model(OneOp::new(op).feed(f32("x", &[5, 7])).output(f32("y", &[5, 7]))));
    }
}
