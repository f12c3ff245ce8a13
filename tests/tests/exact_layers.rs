//! Depthwise weights of every byte value, transposed convolutions of every stride, images one pixel wide, windows of
//! many taps, weights of four and two bits with scales for blocks, and sums of 16 bits: the CPU delegate gives the same
//! results as the reference ops, with every instruction set.

use arenite::config::DelegateConfig;
use arenite::{ElementType, Interpreter, Model, Quota};
use arenite_abi::schema::{
    Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions, TransposeConvOptions, padding,
};
use arenite_model::tensor_type::{FLOAT16, FLOAT32, INT2, INT4, INT8, INT16, INT32, INT64, UINT8};
use arenite_model::writer::{ModelBuilder, Tensor, bytes_of};
use arenite_test_clock::Clock;
use arenite_tests::op_models::{OneOp, f32, i32};

const ISAS: [&str; 9] =
    ["scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amx", "neon", "neondot", "neoni8mm"];

/// The output's bytes for pseudo-random inputs.
fn run(mut interpreter: Interpreter) -> Vec<u8> {
    interpreter.allocate().expect("it allocates");
    for i in 0..interpreter.input_count() {
        let input = interpreter.input_mut(i).expect("it has the input");
        if input.tensor().ty == ElementType::F32 {
            let x = input.into_slice::<f32>().expect("floats").iter_mut();
            x.enumerate().for_each(|(k, x)| *x = (k * 7 % 31) as f32 / 8.0 - 1.5);
        } else if input.tensor().ty == ElementType::I16 {
            let x = input.into_slice::<i16>().expect("words").iter_mut();
            // Operands with other periods, so that each element is another pair.
            x.enumerate().for_each(|(k, x)| *x = (k * 7919 % (2001 - 2 * i)) as i16 - 1000);
        } else {
            let x = input.into_bytes().expect("bytes").iter_mut();
            x.enumerate().for_each(|(k, x)| *x = (100 + k * 37 % 156) as u8);
        }
    }
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|y| y.bytes()).expect("it has an output").to_vec()
}

/// The delegate runs the node, and gives the bytes of the reference op, or floats within 1e-6.
fn expect_exact(what: &str, node: OneOp) {
    expect_same(what, &node.model(), 1e-6);
}

/// As [`expect_exact`], with floats within `tolerance`.
fn expect_same(what: &str, model: &ModelBuilder, tolerance: f32) {
    let model = Model::from_bytes(model.finish()).expect("the file is sound");
    let want = run(arenite_tests::reference_ops(&model).build().expect("it builds"));
    for isa in ISAS {
        let mut delegate = DelegateConfig::new("cpu");
        delegate.options = vec![("isa".into(), isa.into())];
        let quota = Quota { bytes: 1 << 24, ..Quota::default() };
        let builder = Interpreter::builder(&model).delegate(delegate).threads(1).quota(quota);
        let mut interpreter = builder.build().expect("it builds");
        let previews = interpreter.preview_delegates(0).expect("its shapes are known");
        assert_eq!(previews[0].partitions, [[0]], "{what}: {:?}", previews[0].refusals);
        let got = run(interpreter);
        if model_is_float(&model) {
            let floats = |bytes: &[u8]| {
                bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect::<Vec<f32>>()
            };
            let (got, want) = (floats(&got), floats(&want));
            let differ =
                got.iter().zip(&want).position(|(g, w)| (g - w).abs() > tolerance * w.abs().max(1.0));
            assert_eq!(differ.map(|i| (i, got[i], want[i])), None, "{what}, {isa}");
        } else {
            let differ = got.iter().zip(&want).position(|(g, w)| g != w);
            assert_eq!(differ.map(|i| (i, got[i], want[i])), None, "{what}, {isa}");
        }
    }
}

fn model_is_float(model: &Model) -> bool {
    let interpreter = arenite_tests::reference_ops(model).build().expect("it builds");
    interpreter.output(0).expect("it has an output").ty == ElementType::F32
}

/// A weight minus its zero point is between −255 and 255.
#[test]
fn depthwise_weights_of_every_byte_and_zero_point() {
    let weights: Vec<u8> = (0..=255).collect();
    for zero_point in [0, 1, 2, 127, 128, 129, 254, 255] {
        for (taps, channels) in [(1, 256), (2, 64)] {
            let shape = [1, taps, taps, channels];
            let node = OneOp::new("DEPTHWISE_CONV_2D")
                .feed(Tensor::new("x", UINT8, &[1, 3, 4, channels]).quantized(0.02, 3))
                .constant(Tensor::new("w", UINT8, &shape).quantized(0.01, zero_point), weights.clone())
                .constant(i32("b", &[channels]), vec![0; 4 * channels as usize]);
            let sides = [4 - taps, 5 - taps];
            let node =
                node.output(Tensor::new("y", UINT8, &[1, sides[0], sides[1], channels]).quantized(1.1, 128));
            let node = node.options(|o| {
                o.set(DepthwiseConv2DOptions::PADDING, padding::VALID)
                    .set(DepthwiseConv2DOptions::STRIDE_W, 1)
                    .set(DepthwiseConv2DOptions::STRIDE_H, 1)
                    .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
            });
            expect_exact(&format!("{taps} × {taps} taps, zero point {zero_point}"), node);
        }
    }
}

/// The element types of a convolution.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Float,
    Bytes,
    DynamicRange,
}

impl Kind {
    /// A tensor of activations.
    fn tensor(self, name: &str, shape: &[i32], scale: f32) -> Tensor {
        match self {
            Kind::Bytes => Tensor::new(name, INT8, shape).quantized(scale, 0),
            _ => Tensor::new(name, FLOAT32, shape),
        }
    }

    /// Adds weights that have a scale per channel of `axis`.
    fn weights(self, node: OneOp, shape: &[i32], axis: i32) -> OneOp {
        let (count, channels) = (shape.iter().product::<i32>(), shape[axis as usize] as usize);
        match self {
            Kind::Float => {
                let weights: Vec<f32> = (0..count).map(|i| (i % 9) as f32 / 4.0 - 1.0).collect();
                node.constant(f32("w", shape), bytes_of(&weights))
            }
            _ => {
                let weights: Vec<u8> = (0..count).map(|i| (i * 37 % 255) as u8).collect();
                let scales: Vec<f32> = (0..channels).map(|i| 0.01 + i as f32 / 4096.0).collect();
                let tensor = Tensor::new("w", INT8, shape).per_channel(&scales, &vec![0; channels], axis);
                node.constant(tensor, weights)
            }
        }
    }

    /// Adds a bias.
    fn bias(self, node: OneOp, channels: i32) -> OneOp {
        let numbers = (0..channels).map(|i| i * 37 % 32 - 16);
        match self {
            Kind::Bytes => {
                let integers: Vec<i32> = numbers.map(|i| 100 * i).collect();
                node.constant(i32("b", &[channels]), bytes_of(&integers))
            }
            _ => {
                let floats: Vec<f32> = numbers.map(|i| i as f32 / 8.0).collect();
                node.constant(f32("b", &[channels]), bytes_of(&floats))
            }
        }
    }
}

/// A convolution over `[2, height, width, channels]` with stride 1; its axes have input positions and taps. With no
/// filters, each channel has its own weights.
fn convolution(kind: Kind, axes: [[i32; 2]; 2], channels: i32, filters: i32, mode: i8) -> OneOp {
    let [[height, rows], [width, columns]] = axes;
    let positions = |[size, taps]: [i32; 2]| if mode == padding::SAME { size } else { size - taps + 1 };
    let x = kind.tensor("x", &[2, height, width, channels], 0.05);
    let y = |channels| kind.tensor("y", &[2, positions(axes[0]), positions(axes[1]), channels], 0.4);
    if filters == 0 {
        let node = OneOp::new("DEPTHWISE_CONV_2D").feed(x);
        let node = kind.bias(kind.weights(node, &[1, rows, columns, channels], 3), channels);
        return node.output(y(channels)).options(|o| {
            o.set(DepthwiseConv2DOptions::PADDING, mode)
                .set(DepthwiseConv2DOptions::STRIDE_W, 1)
                .set(DepthwiseConv2DOptions::STRIDE_H, 1)
                .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1)
        });
    }
    let node = OneOp::new("CONV_2D").feed(x);
    let node = kind.bias(kind.weights(node, &[filters, rows, columns, channels], 0), filters);
    node.output(y(filters)).options(|o| {
        o.set(Conv2DOptions::PADDING, mode).set(Conv2DOptions::STRIDE_W, 1).set(Conv2DOptions::STRIDE_H, 1)
    })
}

const KINDS: [Kind; 3] = [Kind::Float, Kind::Bytes, Kind::DynamicRange];

/// An image is one pixel wide, or a row has fewer pixels than a vector.
#[test]
fn narrow_images() {
    for kind in KINDS {
        for (axes, channels) in [
            ([[30, 3], [1, 1]], 40),
            ([[9, 9], [1, 1]], 17),
            ([[5, 1], [1, 1]], 70),
            ([[7, 4], [1, 3]], 16),
            ([[5, 3], [2, 2]], 33),
            ([[3, 2], [3, 3]], 8),
        ] {
            for filters in [0, 5] {
                let what = format!("{kind:?} {axes:?} of {channels} channels, {filters} filters");
                expect_exact(&what, convolution(kind, axes, channels, filters, padding::SAME));
            }
        }
    }
}

/// More taps than there are pointers for.
#[test]
fn windows_of_many_taps() {
    for kind in KINDS {
        for (axes, channels) in [
            ([[1, 1], [330, 300]], 1),
            ([[330, 300], [1, 1]], 2),
            ([[3, 2], [140, 131]], 3),
            ([[1, 1], [290, 260]], 4),
        ] {
            for mode in [padding::SAME, padding::VALID] {
                let what = format!("{kind:?} {axes:?} of {channels} channels, padding {mode}");
                expect_exact(&what, convolution(kind, axes, channels, 3, mode));
            }
        }
    }
}

/// A transposed convolution of 3 to 5 channels; each of the two `axes` (rows, columns) has input positions, taps,
/// stride and output positions.
fn transposed(kind: Kind, axes: [[i32; 4]; 2]) -> OneOp {
    let [[h, kh, sh, oh], [w, kw, sw, ow]] = axes;
    let filter = [5, kh, kw, 3];
    let node = OneOp::new("TRANSPOSE_CONV").constant(i32("shape", &[4]), bytes_of(&[1, oh, ow, 5]));
    let node = kind.weights(node, &filter, 0).feed(kind.tensor("x", &[1, h, w, 3], 0.05));
    kind.bias(node, 5).output(kind.tensor("y", &[1, oh, ow, 5], 0.1)).options(|o| {
        o.set(TransposeConvOptions::PADDING, padding::VALID)
            .set(TransposeConvOptions::STRIDE_H, sh)
            .set(TransposeConvOptions::STRIDE_W, sw)
    })
}

#[test]
fn strides_larger_than_the_filter() {
    let clock = Clock::start();
    for kind in [Kind::Float, Kind::Bytes, Kind::DynamicRange] {
        for axes in [
            [[2, 2, 3, 5], [3, 2, 7, 16]],
            [[2, 3, 3, 6], [3, 3, 3, 9]],
            [[3, 1, 4, 12], [2, 3, 2, 5]],
            [[1, 2, 32767, 4], [1, 3, 32767, 5]],
            [[1, 1, 1, 1], [2, 3, 32767, 32770]],
            [[1, 2, 32767, 3], [4, 3, 1000, 3900]],
        ] {
            expect_exact(&format!("{kind:?} {axes:?}"), transposed(kind, axes));
        }
    }
    clock.at_most(60);
}

/// A product with weights of `ty`, which have a scale per block, or per channel if `block` is 0.
fn narrow_product(ty: i32, block: i32, [rows, depth, units]: [i32; 3], has_bias: bool) -> ModelBuilder {
    let bytes = if ty == INT4 { units * depth / 2 } else { units * depth / 4 };
    let weights: Vec<u8> = (0..bytes).map(|i| (i * 37 % 251) as u8).collect();
    let w = Tensor::new("w", ty, &[units, depth]);
    let w = match block {
        0 => {
            let scales: Vec<f32> = (0..units).map(|i| 0.02 + i as f32 / 1024.0).collect();
            w.per_channel(&scales, &vec![0; units as usize], 0)
        }
        // The tensor after `x`, `w`, `b` and `y`.
        _ => w.blockwise(if has_bias { 4 } else { 3 }, -1, block, 1),
    };
    let node = OneOp::new("FULLY_CONNECTED").feed(f32("x", &[rows, depth])).constant(w, weights);
    let bias: Vec<f32> = (0..units).map(|i| i as f32 / 16.0 - 1.0).collect();
    let node = if has_bias { node.constant(f32("b", &[units]), bytes_of(&bias)) } else { node.absent() };
    let node = node.output(f32("y", &[rows, units]));
    let mut model = node
        .options(|o| o.set(FullyConnectedOptions::ASYMMETRIC_QUANTIZE_INPUTS, has_bias && rows > 1))
        .model();
    // F16 numbers between 2⁻⁶ and 2⁻⁵.
    let blocks = depth / block.max(1);
    let scales: Vec<u16> = (0..units * blocks).map(|i| 0x2400 | (i * 97 % 1024) as u16).collect();
    let buffer = model.buffer(bytes_of(&scales));
    model.subgraphs[0].tensor(Tensor::new("scales", FLOAT16, &[units, blocks]).buffer(buffer));
    model
}

/// Scales for blocks of weights of four and two bits, and one per channel. Blocks are added in the order of the
/// reference op, so results are the same to the bit: of one row, and of more rows than a tile has.
#[test]
fn products_with_weights_of_four_and_two_bits() {
    for ty in [INT4, INT2] {
        for (block, depth, units) in
            [(32, 96, 70), (64, 128, 5), (128, 128, 64), (256, 512, 33), (0, 40, 20), (0, 256, 130)]
        {
            for (rows, has_bias) in [(1, false), (3, true), (16, true), (37, true)] {
                let model = narrow_product(ty, block, [rows, depth, units], has_bias);
                let what = format!("type {ty}, {rows} rows of {depth}, blocks of {block}");
                expect_same(&what, &model, 0.0);
            }
        }
    }
}

/// An operand of a sum of 16 bits is rounded once if nothing is broadcast. Leading ones do not broadcast.
#[test]
fn sums_of_shapes_with_and_without_leading_ones() {
    // The second rounding changes eight of these 32,768 results.
    let (three, four) = ([64, 64, 8], [1, 64, 64, 8]);
    for (a, b) in [(&four[..], &three[..]), (&three, &four), (&four, &four), (&four, &[64, 1, 8])] {
        let operand = |name, shape, scale| Tensor::new(name, INT16, shape).quantized(scale, 0);
        let node = OneOp::new("ADD").feed(operand("a", a, 0.00331)).feed(operand("b", b, 0.00373));
        let node = node.output(operand("y", &four, 0.000217)).defaults();
        expect_exact(&format!("{a:?} + {b:?}"), node);
    }
}

/// Products of 16 bits scale their sums in one way with a bias of 64 bits, and in another without a bias or with one of
/// 32 bits.
#[test]
fn products_of_sixteen_bits() {
    for [rows, depth, units] in [[1, 5, 3], [3, 64, 70], [37, 500, 9]] {
        for (ty, bits) in [(INT8, 8), (INT4, 4), (INT2, 2)] {
            let bytes = ((units * depth) as usize * bits).div_ceil(8);
            for bias in [None, Some(INT32), Some(INT64)] {
                let node = wide_product(ty, bytes, [rows, depth, units], bias);
                let what = format!("{rows} × {depth} × {units}, weights of {bits} bits, bias {bias:?}");
                expect_exact(&what, node);
            }
        }
    }
}

/// A product of activations of 16 bits with weights of `ty`, which take `bytes`.
fn wide_product(ty: i32, bytes: usize, [rows, depth, units]: [i32; 3], bias: Option<i32>) -> OneOp {
    let weights: Vec<u8> = (0..bytes).map(|i| (i * 37 % 251) as u8).collect();
    let scales: Vec<f32> = (0..units).map(|i| 0.01 + i as f32 * 1e-4).collect();
    let w = Tensor::new("w", ty, &[units, depth]).per_channel(&scales, &vec![0; units as usize], 0);
    let operand = |name, shape: &[i32], scale| Tensor::new(name, INT16, shape).quantized(scale, 0);
    let node = OneOp::new("FULLY_CONNECTED").feed(operand("x", &[rows, depth], 0.004)).constant(w, weights);
    let wide: Vec<i64> = (0..i64::from(units)).map(|i| i * 977 - 3000).collect();
    let narrow: Vec<i32> = wide.iter().map(|&bias| bias as i32).collect();
    let node = match bias {
        Some(INT64) => node.constant(Tensor::new("b", INT64, &[units]), bytes_of(&wide)),
        Some(_) => node.constant(Tensor::new("b", INT32, &[units]), bytes_of(&narrow)),
        None => node.absent(),
    };
    node.output(operand("y", &[rows, units], 0.03)).options::<FullyConnectedOptions>(|o| o)
}
