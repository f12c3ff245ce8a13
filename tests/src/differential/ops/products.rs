//! Convolutions and matrix products: floats, quantized, dynamic range, and weights with a DEQUANTIZE.

use arenite::ElementType::{self, F16, F32, I2, I4, I8, I16, I32, U8};
use arenite_abi::schema::{
    BatchMatMulOptions, Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions, TransposeConvOptions,
    padding,
};
use arenite_model::writer::bytes_of;

use super::shorts;
use super::{Entry, NONE, REAL, REALS, SHORT, SIGNED, UNSIGNED, activation, entry};
use crate::differential::graph::Form::{self, Behind, Hybrid};
use crate::differential::graph::{Kind, Quant, Rule};
use crate::differential::net::{Net, Spec, Value};
use crate::options::Attributes;

const LAYERS: &[Form] =
    &[REAL, REAL, SIGNED, SIGNED, UNSIGNED, Hybrid(I8), Hybrid(I4), Behind(F16), Behind(I8)];
const DENSE: &[Form] =
    &[REAL, REAL, SIGNED, UNSIGNED, Hybrid(I8), Hybrid(I4), Hybrid(I2), Behind(F16), Behind(I8)];
const DEPTHWISE: &[Form] = &[REAL, REAL, SIGNED, SIGNED, UNSIGNED, Hybrid(I8), Behind(F16), Behind(I8)];
const TRANSPOSED: &[Form] = &[REAL, SIGNED, Hybrid(I8), Behind(F16), Behind(I8)];

pub const OPS: &[Entry] = &[
    entry("CONV_2D", LAYERS, NONE, convolution),
    entry("CONV_2D", LAYERS, NONE, convolution),
    entry("CONV_2D", &[SHORT], NONE, convolution),
    entry("DEPTHWISE_CONV_2D", DEPTHWISE, NONE, depthwise),
    entry("TRANSPOSE_CONV", TRANSPOSED, &[UNSIGNED], transposed),
    entry("Convolution2DTransposeBias", REALS, NONE, transposed_with_bias),
    entry("FULLY_CONNECTED", DENSE, NONE, fully_connected),
    entry("FULLY_CONNECTED", &[SHORT], NONE, fully_connected),
    entry("BATCH_MATMUL", &[REAL, SIGNED], NONE, matmul),
];

/// A kernel along one axis: taps, stride, dilation.
#[derive(Clone, Copy)]
pub struct Axis {
    pub taps: i32,
    pub stride: i32,
    pub dilation: i32,
}

impl Axis {
    pub fn draw(net: &mut Net) -> Axis {
        let taps = net.random.pick(&[1, 1, 2, 3, 3, 3, 5]);
        let stride = net.random.pick(&[1, 1, 1, 2, 3]);
        let dilation = if net.random.chance(20) { net.random.pick(&[2, 3]) } else { 1 };
        Axis { taps, stride, dilation }
    }

    /// The number of output positions over this many elements.
    pub fn output(self, size: i32, kind: i8) -> i32 {
        let extent = (self.taps - 1) * self.dilation + 1;
        match kind {
            padding::SAME => (size + self.stride - 1) / self.stride,
            _ => ((size + self.stride - extent) / self.stride).max(0),
        }
    }
}

/// Two axes, often equal.
pub fn axes(net: &mut Net) -> [Axis; 2] {
    let rows = Axis::draw(net);
    let columns = if net.random.chance(60) { rows } else { Axis::draw(net) };
    [rows, columns]
}

/// The channel axis of the weights, and the number of products per result.
struct Weights {
    shape: Vec<i32>,
    axis: usize,
    depth: i32,
}

/// Weights of the form's type.
fn weights(net: &mut Net, kind: Kind, x: &Value, w: &Weights) -> Value {
    let count = w.shape.iter().product::<i32>() as usize;
    let narrow = if kind.op == "FULLY_CONNECTED" && net.random.chance(50) { I2 } else { I4 };
    match kind.form {
        Behind(stored) => {
            let data = net.elements(stored, count);
            let constant = net.constant((stored, w.shape.clone(), None), data);
            if stored == I8 {
                scales(net, &constant, w, 0);
            }
            let kind = Kind { op: "DEQUANTIZE", form: Form::To(stored, F32) };
            let rule = if stored == I8 { Rule::Dequantize } else { Rule::Moves };
            net.node(kind, &[constant.index], vec![(F32, w.shape.clone(), None)], None, rule).remove(0)
        }
        Hybrid(ty) => quantized(net, ty, w, false),
        Form::Of(F32) => net.filled(F32, &w.shape),
        _ if x.ty == U8 => quantized(net, U8, w, true),
        _ if net.random.chance(10) && (x.ty == I8 || narrow == I2) => quantized(net, narrow, w, false),
        _ => {
            let shifted = net.random.chance(10);
            quantized(net, I8, w, shifted)
        }
    }
}

/// Quantized or half-precision weights.
fn quantized(net: &mut Net, ty: ElementType, w: &Weights, shifted: bool) -> Value {
    let count = w.shape.iter().product::<i32>() as usize;
    let data = net.elements(ty, count);
    let value = net.constant((ty, w.shape.clone(), None), data);
    let zero_point = match (shifted, ty) {
        (true, U8) => net.random.pick(&[0, 128, 128, 255, 77]),
        (true, _) => net.random.pick(&[-128, 3, 127]),
        _ => 0,
    };
    match ty {
        U8 => net.set_scales(&value, &[0.0078], zero_point, 0),
        _ if zero_point != 0 => net.set_scales(&value, &[0.0083], zero_point, 0),
        _ => scales(net, &value, w, 0),
    }
    value
}

/// One scale, or one per channel.
fn scales(net: &mut Net, value: &Value, w: &Weights, zero_point: i64) {
    let channels = if net.random.chance(60) { w.shape[w.axis] } else { 1 };
    let list: Vec<f32> = (0..channels).map(|_| 0.008 + 0.006 * net.random.real()).collect();
    net.set_scales(value, &list, zero_point, w.axis as i32);
}

/// A bias for this many channels, or none.
pub fn bias(net: &mut Net, ty: ElementType, channels: i32) -> i32 {
    if net.random.chance(25) {
        return -1;
    }
    let value = match ty {
        F32 => net.filled(F32, &[channels]),
        _ if ty == I16 => {
            let data: Vec<i64> = (0..channels).map(|_| net.random.between(-900, 900).into()).collect();
            net.constant((ElementType::I64, vec![channels], None), bytes_of(&data))
        }
        _ => {
            let data: Vec<i32> = (0..channels).map(|_| net.random.between(-3000, 3000)).collect();
            net.constant((I32, vec![channels], None), bytes_of(&data))
        }
    };
    value.index
}

/// A result with a scale that keeps most sums in range.
fn result(net: &mut Net, x: &Value, shape: Vec<i32>, depth: i32) -> Spec {
    let quant = x.quant.and_then(|q| {
        let spread = net.random.pick(&[0.1, 0.5, 0.5, 1.0, 3.0]);
        let scale = q.scale * (depth.max(1) as f32).sqrt() * spread;
        match x.ty {
            I16 => Some(Quant { scale, zero_point: 0 }),
            ty => net.quant(ty).map(|y| Quant { scale, ..y }),
        }
    });
    (x.ty, shape, quant)
}

/// The rule for sums of `depth` products; `inputs` are the positions of both operands and the bias.
fn rule(kind: Kind, inputs: [usize; 3], depth: i32, winograd: bool) -> Rule {
    let ([main, weights, bias], depth) = (inputs, depth as usize);
    match kind.form {
        Hybrid(_) => Rule::Hybrid,
        form if form.ty() == F32 => Rule::Products { main, weights, bias, depth, winograd },
        _ => Rule::Integers,
    }
}

/// Whether the number of results and the work are neither zero nor too large.
pub fn fits(shape: &[i32], depth: i32, most: i64) -> bool {
    let count: i64 = shape.iter().map(|&size| i64::from(size)).product();
    count * i64::from(depth.max(1)) <= most && shape.iter().skip(1).all(|&size| size > 0)
}

/// CONV_2D on images of the pool.
pub fn convolution(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.images(kind.form.ty());
    let x = shorts::with_scale(net, x);
    let axes = axes(net);
    let filters = net.size();
    let most = net.sizes.work;
    over(net, kind, &x, axes, filters, most)
}

/// CONV_2D with 3 × 3 adjacent taps and many filters.
pub fn transforms(net: &mut Net, kind: Kind, x: &Value) -> Option<()> {
    let filters = net.random.between(8, 20);
    let most = net.sizes.work;
    over(net, kind, x, [Axis { taps: 3, stride: 1, dilation: 1 }; 2], filters, most)
}

/// CONV_2D of at most `most` multiply-adds: of the direct algorithm, and where Winograd's is used.
pub fn over(
    net: &mut Net,
    kind: Kind,
    x: &Value,
    [rows, columns]: [Axis; 2],
    filters: i32,
    most: [i64; 2],
) -> Option<()> {
    let &[images, height, width, channels] = &x.shape[..] else { return None };
    let mode = net.random.pick(&[padding::SAME, padding::VALID]);
    let groups = if channels > 1 && net.random.chance(20) { divisor(net, channels) } else { 1 };
    let depth = channels / groups;
    let filters = groups * if groups > 4 { net.random.between(1, 3) } else { filters };
    let shape = vec![images, rows.output(height, mode), columns.output(width, mode), filters];
    let w = Weights {
        shape: vec![filters, rows.taps, columns.taps, depth],
        axis: 0,
        depth: rows.taps * columns.taps * depth,
    };
    let plain = |axis: Axis| axis.taps == 3 && axis.stride == 1 && axis.dilation == 1;
    let transforms = plain(rows) && plain(columns) && groups == 1 && kind.form.ty() == F32;
    if !fits(&shape, w.depth, most[usize::from(transforms)]) {
        return None;
    }
    let filter = weights(net, kind, x, &w);
    let inputs = [x.index, filter.index, bias(net, x.ty, filters)];
    let fused = activation(net);
    let options = Attributes::of(|o| {
        o.set(Conv2DOptions::PADDING, mode)
            .set(Conv2DOptions::STRIDE_H, rows.stride)
            .set(Conv2DOptions::STRIDE_W, columns.stride)
            .set(Conv2DOptions::DILATION_H_FACTOR, rows.dilation)
            .set(Conv2DOptions::DILATION_W_FACTOR, columns.dilation)
            .set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, fused)
    });
    let rule = rule(kind, [0, 1, 2], w.depth, transforms);
    let result = result(net, x, shape, w.depth);
    net.node(kind, &inputs, vec![result], Some(options), rule);
    Some(())
}

/// A divisor above 1.
fn divisor(net: &mut Net, n: i32) -> i32 {
    let divisors: Vec<i32> = (2..=n).filter(|d| n % d == 0).collect();
    net.random.pick(&divisors)
}

/// DEPTHWISE_CONV_2D on images of the pool.
pub fn depthwise(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.images(kind.form.ty());
    let [rows, columns] = axes(net);
    let &[images, height, width, channels] = &x.shape[..] else { return None };
    let mode = net.random.pick(&[padding::SAME, padding::VALID]);
    let multiplier = net.random.pick(&[1, 1, 1, 2, 3]);
    let filters = channels * multiplier;
    let shape = vec![images, rows.output(height, mode), columns.output(width, mode), filters];
    let w = Weights {
        shape: vec![1, rows.taps, columns.taps, filters],
        axis: 3,
        depth: rows.taps * columns.taps,
    };
    if !fits(&shape, w.depth, net.sizes.work[0]) {
        return None;
    }
    let filter = weights(net, kind, &x, &w);
    let inputs = [x.index, filter.index, bias(net, x.ty, filters)];
    let fused = activation(net);
    let options = Attributes::of(|o| {
        o.set(DepthwiseConv2DOptions::PADDING, mode)
            .set(DepthwiseConv2DOptions::STRIDE_H, rows.stride)
            .set(DepthwiseConv2DOptions::STRIDE_W, columns.stride)
            .set(DepthwiseConv2DOptions::DILATION_H_FACTOR, rows.dilation)
            .set(DepthwiseConv2DOptions::DILATION_W_FACTOR, columns.dilation)
            .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, multiplier)
            .set(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION, fused)
    });
    let result = result(net, &x, shape, w.depth);
    net.node(kind, &inputs, vec![result], Some(options), rule(kind, [0, 1, 2], w.depth, false));
    Some(())
}

fn transposed(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.images(kind.form.ty());
    let [rows, columns] = axes(net);
    let &[images, height, width, channels] = &x.shape[..] else { return None };
    let mode = net.random.pick(&[padding::SAME, padding::VALID]);
    let filters = net.size();
    let size = |axis: Axis, input: i32| match mode {
        padding::SAME => input * axis.stride,
        _ => (input - 1) * axis.stride + axis.taps,
    };
    let shape = vec![images, size(rows, height), size(columns, width), filters];
    let depth = rows.taps * columns.taps * channels;
    let w = Weights { shape: vec![filters, rows.taps, columns.taps, channels], axis: 0, depth };
    if !fits(&shape, depth, net.sizes.work[0]) {
        return None;
    }
    let filter = weights(net, kind, &x, &w);
    let sizes = net.row(&shape);
    let mut inputs = vec![sizes.index, filter.index, x.index];
    let bias = bias(net, x.ty, filters);
    inputs.extend((bias >= 0).then_some(bias));
    let fused = activation(net);
    let options = Attributes::of(|o| {
        o.set(TransposeConvOptions::PADDING, mode)
            .set(TransposeConvOptions::STRIDE_H, rows.stride)
            .set(TransposeConvOptions::STRIDE_W, columns.stride)
            .set(TransposeConvOptions::FUSED_ACTIVATION_FUNCTION, fused)
    });
    let result = result(net, &x, shape, w.depth);
    net.node(kind, &inputs, vec![result], Some(options), rule(kind, [2, 1, 3], w.depth, false));
    Some(())
}

/// MediaPipe's op. Its options are a C struct: padding (1 is SAME, 2 is VALID), strides along width and height.
fn transposed_with_bias(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.images(kind.form.ty());
    let [rows, columns] = axes(net);
    let &[images, height, width, channels] = &x.shape[..] else { return None };
    let padding = net.random.pick(&[1, 2]);
    let filters = net.size();
    let size = |axis: Axis, input: i32| {
        let lost = if padding == 1 { (axis.taps - (input - 1) % axis.stride - 1).max(0) } else { 0 };
        (input - 1) * axis.stride + axis.taps - lost
    };
    let shape = vec![images, size(rows, height), size(columns, width), filters];
    let depth = rows.taps * columns.taps * channels;
    let w = Weights { shape: vec![filters, rows.taps, columns.taps, channels], axis: 0, depth };
    if height == 0 || width == 0 || !fits(&shape, depth, net.sizes.work[0]) {
        return None;
    }
    let filter = weights(net, kind, &x, &w);
    let bias = net.filled(F32, &[filters]).index;
    let options: Vec<u8> =
        [padding, columns.stride, rows.stride].into_iter().flat_map(i32::to_le_bytes).collect();
    let result = result(net, &x, shape, depth);
    net.custom(
        kind,
        &[x.index, filter.index, bias],
        vec![result],
        &options,
        rule(kind, [0, 1, 2], depth, false),
    );
    Some(())
}

/// With constant weights, or with non-constant floats.
fn fully_connected(net: &mut Net, kind: Kind) -> Option<()> {
    let x = match kind.form {
        Hybrid(I4 | I2) if net.random.chance(60) => net.rows_of_sixteens(),
        form => net.of_rank(form.ty(), 1),
    };
    let x = shorts::with_scale(net, x);
    let (&depth, outer) = x.shape.split_last()?;
    let (units, fused) = (net.size(), activation(net));
    let keeps = net.random.chance(40);
    let rows: i32 = outer.iter().product();
    let shape = match keeps {
        true => outer.iter().copied().chain([units]).collect(),
        false => vec![rows, units],
    };
    if depth == 0 || !fits(&[rows, units], depth, net.sizes.work[0]) {
        return None;
    }
    let w = Weights { shape: vec![units, depth], axis: 0, depth };
    let matrix = match kind.form == REAL && net.random.chance(15) {
        true => net.fitting(F32, |shape| shape == [units, depth], |_| vec![units, depth]),
        false => weights(net, kind, &x, &w),
    };
    // Sums of 16 bits are scaled in one way with a bias of 64 bits, and in another with one of 32 bits.
    let of = if x.ty == I16 && net.random.chance(40) { I8 } else { x.ty };
    let inputs = [x.index, matrix.index, bias(net, of, units)];
    let asymmetric = net.random.chance(50);
    let options = Attributes::of(|o| {
        o.set(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION, fused)
            .set(FullyConnectedOptions::KEEP_NUM_DIMS, keeps)
            .set(FullyConnectedOptions::ASYMMETRIC_QUANTIZE_INPUTS, asymmetric)
    });
    let result = result(net, &x, shape, w.depth);
    net.node(kind, &inputs, vec![result], Some(options), rule(kind, [0, 1, 2], w.depth, false));
    Some(())
}

fn matmul(net: &mut Net, kind: Kind) -> Option<()> {
    let a = net.of_rank(kind.form.ty(), 2);
    let (batch, &[first, second]) = a.shape.split_last_chunk::<2>()?;
    let [turn_a, turn_b] = [net.random.chance(20), net.random.chance(40)];
    let (rows, depth) = if turn_a { (second, first) } else { (first, second) };
    let columns = net.size();
    let mut other = batch.to_vec();
    match net.random.below(4) {
        0 => other.iter_mut().for_each(|size| *size = 1),
        1 => drop(other.drain(..net.random.below(batch.len() + 1))),
        _ => {}
    }
    other.extend(if turn_b { [columns, depth] } else { [depth, columns] });
    let mut shape = batch.to_vec();
    shape.extend([rows, columns]);
    if !fits(&shape, depth, net.sizes.work[0]) {
        return None;
    }
    let b = net.fitting(a.ty, |shape| shape == other, |_| other.clone());
    let options =
        Attributes::of(|o| o.set(BatchMatMulOptions::ADJ_X, turn_a).set(BatchMatMulOptions::ADJ_Y, turn_b));
    let result = result(net, &a, shape, depth);
    net.node(kind, &[a.index, b.index], vec![result], Some(options), rule(kind, [0, 1, 2], depth, false));
    Some(())
}
