//! The CPU delegate treats infinities, NaN and the largest floats like the reference ops, with every instruction set:
//! NaN in the same places, and infinities of the same sign. Winograd convolutions are excluded, because they subtract
//! pixels from one another.

use arenite::ElementType::F32;
use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model};
use arenite_abi::schema::{
    AddOptions, BatchMatMulOptions, Conv2DOptions, DepthwiseConv2DOptions, DivOptions, FullyConnectedOptions,
    GeluOptions, LeakyReluOptions, MaximumMinimumOptions, MulOptions, OptionsTable, Pool2DOptions,
    ReducerOptions, SoftmaxOptions, SquaredDifferenceOptions, SubOptions, TransposeConvOptions, activation,
    padding,
};
use arenite_model::tensor_type::INT8;
use arenite_model::writer::{Tensor, bytes_of};
use arenite_tests::differential::graph::Form;
use arenite_tests::differential::ops::unary;
use arenite_tests::op_models::{OneOp, f32, i32};
use arenite_tests::options::Fields;

const ISAS: [&str; 4] = ["scalar", "avx2", "avx512", "neon"];

/// Numbers at the end of the range, and a few from its middle.
const SPECIAL: [f32; 12] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    0.0,
    -0.0,
    1.5,
    -2.5,
    7.0,
    f32::MIN_POSITIVE,
    -1e-40,
];

/// A list of numbers with each special value at many positions within a vector.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| SPECIAL[(i * 7 + i / 12 * seed + seed) % SPECIAL.len()]).collect()
}

/// Small numbers, with one special value every so often.
fn few(count: usize, special: f32, every: usize) -> Vec<f32> {
    (0..count).map(|i| if i % every == every / 2 { special } else { (i % 7) as f32 * 0.25 - 0.5 }).collect()
}

fn run(mut interpreter: Interpreter, inputs: &[Vec<f32>]) -> Vec<f32> {
    interpreter.allocate().expect("it allocates");
    for (i, input) in inputs.iter().enumerate() {
        interpreter.input_mut(i).and_then(|x| x.copy_from_slice(input)).expect("it has the input");
    }
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|y| y.as_slice().map(<[f32]>::to_vec)).expect("floats")
}

/// Whether two results are equal up to rounding.
fn agree(a: f32, b: f32) -> bool {
    let near = (a - b).abs() <= 1e-5 * b.abs() + 1e-6;
    // Rounding may decide whether the largest float overflows.
    let huge = |x: f32| x.abs() >= f32::MAX * 0.999;
    a.is_nan() == b.is_nan()
        && (a.is_nan() || a == b || near || huge(a) && huge(b) && a.is_finite() == b.is_finite())
}

/// Whether two results have the same bits, or are both NaN.
fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Adds a line to `wrong` unless the delegate's results are close to the reference ops'.
fn differences(what: &str, node: OneOp, inputs: &[Vec<f32>], wrong: &mut Vec<String>) {
    differences_by(agree, what, node, inputs, wrong);
}

/// Adds a line to `wrong` unless `agree` holds between the delegate's results and the reference ops'.
fn differences_by(
    agree: fn(f32, f32) -> bool,
    what: &str,
    node: OneOp,
    inputs: &[Vec<f32>],
    wrong: &mut Vec<String>,
) {
    let model = Model::from_bytes(node.model().finish()).expect("the file is sound");
    let want = run(arenite_tests::reference_ops(&model).build().expect("it builds"), inputs);
    for isa in ISAS {
        let mut delegate = DelegateConfig::new("cpu");
        delegate.options = vec![("isa".into(), isa.into()), ("winograd".into(), "false".into())];
        let interpreter =
            Interpreter::builder(&model).delegate(delegate).threads(1).build().expect("it builds");
        let got = run(interpreter, inputs);
        let differ: Vec<String> = (0..want.len())
            .filter(|&i| !agree(got[i], want[i]))
            .map(|i| {
                let inputs: Vec<f32> = inputs.iter().filter_map(|x| x.get(i).copied()).collect();
                format!("[{i}] {} for {} ({inputs:?})", got[i], want[i])
            })
            .collect();
        if !differ.is_empty() {
            wrong.push(format!(
                "{what}, {isa}: {} of {}: {}",
                differ.len(),
                want.len(),
                differ[..differ.len().min(6)].join(", ")
            ));
            break;
        }
    }
}

fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

const ACTIVATIONS: [i8; 4] =
    [activation::NONE, activation::RELU, activation::RELU_N1_TO_1, activation::RELU6];

#[test]
fn functions_of_one() {
    let mut wrong = Vec::new();
    let claimed = unary::OPS.iter().filter(|entry| entry.claimed.contains(&Form::Of(F32)));
    for op in claimed.map(|entry| entry.op).chain(["SOFTMAX", "LOG_SOFTMAX"]) {
        let node = OneOp::new(op).feed(f32("x", &[13, 9])).output(f32("y", &[13, 9]));
        let node = match op {
            "LEAKY_RELU" => node.options(|o| o.set(LeakyReluOptions::ALPHA, 0.25)),
            "GELU" => node.options::<GeluOptions>(|o| o),
            "SOFTMAX" => node.options(|o| o.set(SoftmaxOptions::BETA, 1.0)),
            _ => node,
        };
        differences(op, node, &[numbers(117, 1)], &mut wrong);
    }
    let node = OneOp::new("GELU").feed(f32("x", &[13, 9])).output(f32("y", &[13, 9]));
    let node = node.options(|o| o.set(GeluOptions::APPROXIMATE, true));
    differences("GELU, approximate", node, &[numbers(117, 1)], &mut wrong);
    for (op, special) in
        ["SOFTMAX", "LOG_SOFTMAX"].iter().flat_map(|op| SPECIAL.map(|special| (*op, special)))
    {
        let node = OneOp::new(op).feed(f32("x", &[3, 40])).output(f32("y", &[3, 40]));
        let node = if op == "SOFTMAX" { node.options(|o| o.set(SoftmaxOptions::BETA, 1.0)) } else { node };
        differences(&format!("{op} with {special}"), node, &[few(120, special, 40)], &mut wrong);
    }
    report(&wrong);
}

fn pair<T: OptionsTable>(op: &str, shape: &[i32], fill: impl FnOnce(Fields<T>) -> Fields<T>) -> OneOp {
    OneOp::new(op).feed(f32("a", &[12, 12])).feed(f32("b", shape)).output(f32("y", &[12, 12])).options(fill)
}

#[test]
fn functions_of_two() {
    let mut wrong = Vec::new();
    for (shape, len) in [(&[12, 12][..], 144), (&[12, 1], 12), (&[12], 12)] {
        let b: Vec<f32> = (0..len).map(|i| SPECIAL[if len == 144 { i / 12 } else { i }]).collect();
        let a: Vec<f32> = (0..144).map(|i| SPECIAL[if shape == [12] { i / 12 } else { i % 12 }]).collect();
        let inputs = [a, b];
        for fused in ACTIVATIONS {
            let mut check = |op: &str, node: OneOp| {
                differences(&format!("{op} {shape:?}, activation {fused}"), node, &inputs, &mut wrong)
            };
            check("ADD", pair("ADD", shape, |o| o.set(AddOptions::FUSED_ACTIVATION_FUNCTION, fused)));
            check("SUB", pair("SUB", shape, |o| o.set(SubOptions::FUSED_ACTIVATION_FUNCTION, fused)));
            check("MUL", pair("MUL", shape, |o| o.set(MulOptions::FUSED_ACTIVATION_FUNCTION, fused)));
            check("DIV", pair("DIV", shape, |o| o.set(DivOptions::FUSED_ACTIVATION_FUNCTION, fused)));
        }
        for op in ["MAXIMUM", "MINIMUM"] {
            let node = pair::<MaximumMinimumOptions>(op, shape, |o| o);
            differences(&format!("{op} {shape:?}"), node, &inputs, &mut wrong);
        }
        let node = pair::<SquaredDifferenceOptions>("SQUARED_DIFFERENCE", shape, |o| o);
        differences(&format!("SQUARED_DIFFERENCE {shape:?}"), node, &inputs, &mut wrong);
    }
    report(&wrong);
}

#[test]
fn windows() {
    let mut wrong = Vec::new();
    let weights =
        |count: usize| bytes_of(&(0..count).map(|i| (i % 5) as f32 * 0.25 - 0.4).collect::<Vec<_>>());
    for (special, fused) in SPECIAL.iter().flat_map(|&special| ACTIVATIONS.map(|fused| (special, fused))) {
        let image = few(7 * 6 * 19, special, 90);
        let inputs = [image];
        let mut check = |op: &str, node: OneOp| {
            differences(&format!("{op} with {special}, activation {fused}"), node, &inputs, &mut wrong)
        };
        let node = |op: &str| OneOp::new(op).feed(f32("x", &[1, 7, 6, 19]));
        let conv = node("CONV_2D")
            .constant(f32("w", &[9, 3, 3, 19]), weights(9 * 9 * 19))
            .constant(f32("b", &[9]), weights(9));
        check(
            "CONV_2D",
            conv.output(f32("y", &[1, 7, 6, 9])).options(|o| {
                o.set(Conv2DOptions::STRIDE_H, 1)
                    .set(Conv2DOptions::STRIDE_W, 1)
                    .set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, fused)
            }),
        );
        let depthwise = node("DEPTHWISE_CONV_2D")
            .constant(f32("w", &[1, 3, 3, 19]), weights(9 * 19))
            .constant(f32("b", &[19]), weights(19));
        check(
            "DEPTHWISE_CONV_2D",
            depthwise.output(f32("y", &[1, 7, 6, 19])).options(|o| {
                o.set(DepthwiseConv2DOptions::STRIDE_H, 1)
                    .set(DepthwiseConv2DOptions::STRIDE_W, 1)
                    .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
                    .set(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION, fused)
            }),
        );
        let transpose = OneOp::new("TRANSPOSE_CONV")
            .constant(i32("shape", &[4]), bytes_of(&[1, 14, 12, 5]))
            .constant(f32("w", &[5, 3, 3, 19]), weights(5 * 9 * 19));
        check(
            "TRANSPOSE_CONV",
            transpose.feed(f32("x", &[1, 7, 6, 19])).output(f32("y", &[1, 14, 12, 5])).options(|o| {
                o.set(TransposeConvOptions::STRIDE_H, 2)
                    .set(TransposeConvOptions::STRIDE_W, 2)
                    .set(TransposeConvOptions::FUSED_ACTIVATION_FUNCTION, fused)
            }),
        );
        let connected = OneOp::new("FULLY_CONNECTED")
            .feed(f32("x", &[42, 19]))
            .constant(f32("w", &[11, 19]), weights(11 * 19))
            .constant(f32("b", &[11]), weights(11));
        check(
            "FULLY_CONNECTED",
            connected
                .output(f32("y", &[42, 11]))
                .options(|o| o.set(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION, fused)),
        );
        for op in ["MAX_POOL_2D", "AVERAGE_POOL_2D"] {
            check(
                op,
                node(op).output(f32("y", &[1, 7, 6, 19])).options(|o| {
                    o.set(Pool2DOptions::PADDING, padding::SAME)
                        .set(Pool2DOptions::STRIDE_H, 1)
                        .set(Pool2DOptions::STRIDE_W, 1)
                        .set(Pool2DOptions::FILTER_HEIGHT, 2)
                        .set(Pool2DOptions::FILTER_WIDTH, 3)
                        .set(Pool2DOptions::FUSED_ACTIVATION_FUNCTION, fused)
                }),
            );
        }
    }
    report(&wrong);
}

/// With 8-bit weights and a float input: a row with values that are not finite has no scale.
#[test]
fn dynamic_range() {
    let mut wrong = Vec::new();
    let weights = |count: usize| (0..count).map(|i| (i * 37 % 255) as u8).collect::<Vec<_>>();
    for special in SPECIAL {
        let inputs = [few(8 * 40, special, 90)];
        let scaled = |shape: &[i32]| Tensor::new("w", INT8, shape).quantized(0.01, 0);
        for asymmetric in [false, true] {
            let node = OneOp::new("FULLY_CONNECTED")
                .feed(f32("x", &[8, 40]))
                .constant(scaled(&[11, 40]), weights(440));
            let node = node
                .output(f32("y", &[8, 11]))
                .options(|o| o.set(FullyConnectedOptions::ASYMMETRIC_QUANTIZE_INPUTS, asymmetric));
            differences(
                &format!("FULLY_CONNECTED with 8-bit weights, {asymmetric}, with {special}"),
                node,
                &inputs,
                &mut wrong,
            );
        }
        let node = OneOp::new("CONV_2D")
            .feed(f32("x", &[2, 4, 4, 10]))
            .constant(scaled(&[9, 1, 1, 10]), weights(90));
        let node = node
            .output(f32("y", &[2, 4, 4, 9]))
            .options(|o| o.set(Conv2DOptions::STRIDE_H, 1).set(Conv2DOptions::STRIDE_W, 1));
        differences(&format!("CONV_2D with 8-bit weights and {special}"), node, &inputs, &mut wrong);
    }
    report(&wrong);
}

#[test]
fn folds_and_products() {
    let mut wrong = Vec::new();
    for special in SPECIAL {
        let image = few(6 * 20 * 19, special, 97);
        for op in ["MEAN", "SUM"] {
            for (axis, shape) in [(0, [20, 19]), (1, [6, 19]), (2, [6, 20])] {
                let node = OneOp::new(op)
                    .feed(f32("x", &[6, 20, 19]))
                    .constant(i32("axis", &[1]), bytes_of(&[axis]));
                let node = node.output(f32("y", &shape)).options::<ReducerOptions>(|o| o);
                differences(
                    &format!("{op} along {axis} with {special}"),
                    node,
                    std::slice::from_ref(&image),
                    &mut wrong,
                );
            }
        }
        let node = OneOp::new("BATCH_MATMUL")
            .feed(f32("a", &[2, 6, 19]))
            .feed(f32("b", &[2, 19, 9]))
            .output(f32("y", &[2, 6, 9]));
        let inputs = [few(2 * 6 * 19, special, 60), few(2 * 19 * 9, 0.5, 100)];
        differences(
            &format!("BATCH_MATMUL with {special}"),
            node.options::<BatchMatMulOptions>(|o| o),
            &inputs,
            &mut wrong,
        );
    }
    report(&wrong);
}

/// Among zeros, NaN and equal numbers, the order of the elements decides which one is returned.
#[test]
fn extremes_by_the_order_of_elements() {
    let mut wrong = Vec::new();
    let (odd, zeros) = ([f32::NAN, f32::NEG_INFINITY, 3.0, f32::INFINITY], [0.0, -0.0, -0.0, 0.0]);
    for op in ["REDUCE_MAX", "REDUCE_MIN"] {
        for (axes, shape) in [
            (&[0][..], &[40, 19][..]),
            (&[1], &[7, 19]),
            (&[2], &[7, 40]),
            (&[0, 2], &[40]),
            (&[1, 2], &[7]),
            (&[0, 1, 2], &[]),
        ] {
            let negative = if op == "REDUCE_MAX" { -1.0 } else { 1.0 };
            for (specials, every) in [(&odd, 3), (&odd, 97), (&odd, 1601), (&zeros, 3), (&zeros, 31)] {
                let number = |i: usize| match i % every {
                    0 => specials[i / every % 4],
                    _ => negative * ((i * 7 % 11) as f32 + 0.5),
                };
                let node = OneOp::new(op)
                    .feed(f32("x", &[7, 40, 19]))
                    .constant(i32("axis", &[axes.len() as i32]), bytes_of(axes))
                    .output(f32("y", shape))
                    .options::<ReducerOptions>(|o| o);
                let inputs = [(0..7 * 40 * 19).map(number).collect::<Vec<_>>()];
                let what = format!("{op} along {axes:?} of {specials:?}, every {every}");
                differences_by(is_same, &what, node, &inputs, &mut wrong);
            }
        }
    }
    for op in ["MAXIMUM", "MINIMUM"] {
        for number in SPECIAL {
            let sides = [f32("x", &[12]), f32("c", &[])];
            for [a, b] in [sides.clone(), {
                let [x, c] = sides;
                [c, x]
            }] {
                let add = |node: OneOp, tensor: Tensor| match tensor.shape.is_empty() {
                    true => node.constant(tensor, bytes_of(&[number])),
                    false => node.feed(tensor),
                };
                let node = add(add(OneOp::new(op), a), b).output(f32("y", &[12]));
                let node = node.options::<MaximumMinimumOptions>(|o| o);
                differences_by(
                    is_same,
                    &format!("{op} with {number}"),
                    node,
                    &[SPECIAL.to_vec()],
                    &mut wrong,
                );
            }
        }
    }
    report(&wrong);
}

/// Zeros have the same sign as with the reference ops, or become the same NaN.
#[test]
fn zeros() {
    let mut wrong = Vec::new();
    let x = [0.0, -0.0, -0.3, 0.3, -0.5, 0.5, -0.7, f32::NAN, f32::NEG_INFINITY, 1.5, -1.5, 2.5, -1e-40];
    let node = |op| OneOp::new(op).feed(f32("x", &[13])).output(f32("y", &[13]));
    differences_by(is_same, "ROUND", node("ROUND"), &[x.to_vec()], &mut wrong);
    for alpha in [0.0, -0.0, 0.25, -0.5, 1.5, f32::NAN, f32::INFINITY] {
        let node = node("LEAKY_RELU").options(|o| o.set(LeakyReluOptions::ALPHA, alpha));
        differences_by(is_same, &format!("LEAKY_RELU by {alpha}"), node, &[x.to_vec()], &mut wrong);
    }
    report(&wrong);
}

/// With 8-bit weights an infinite sum stays infinite; with float weights it becomes the largest float.
#[test]
fn products_of_two_computed_operands() {
    let mut wrong = Vec::new();
    for fused in ACTIVATIONS {
        for special in SPECIAL {
            let inputs = [few(6 * 19, special, 60), few(9 * 19, 2.5, 100)];
            let node = OneOp::new("FULLY_CONNECTED").feed(f32("x", &[6, 19])).feed(f32("w", &[9, 19]));
            let node = node
                .output(f32("y", &[6, 9]))
                .options(|o| o.set(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION, fused));
            differences(
                &format!("FULLY_CONNECTED with {special}, activation {fused}"),
                node,
                &inputs,
                &mut wrong,
            );
        }
    }
    report(&wrong);
}
