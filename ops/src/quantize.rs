//! QUANTIZE: f32 to i4, u4, i8, u8, i16 (8 and 16 bits also per channel); i8, u8, i16, i32 to another quantization.
//! Defined by: tflite/kernels/quantize.cc, optimized/optimized_ops.h (`AffineQuantize`, `Requantize`).
//!
//! TFLite's SIMD kernels treat whole groups of elements, and scalar code the rest; the two round differently, so the
//! position of an element decides. With 8 bits on both sides, groups of 16 round ties up. From f32 to a per-tensor
//! type of 8 or 16 bits, groups of 8 multiply by `1 / scale` and round ties to even; scalar code divides and rounds ties
//! away from zero.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::float::round_ties_even;
use crate::kit::integer::Quantized;
use crate::kit::per_channel::Channels;
use crate::kit::requantize::{Quant, Requantize};
use crate::kit::{node, packed, unary};

/// Prepared node.
pub enum Quantize {
    /// f32 to one scale.
    PerTensor(Quant),
    /// f32 to a scale per channel.
    PerChannel(Channels),
    /// Integers to integers.
    Rescale(Requantize),
}

const FLOAT_GROUP: usize = 8;
const BYTE_GROUP: usize = 16;

impl Op for Quantize {
    const CODE: OpCode = OpCode::Builtin(114);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I4, U4, I8, U8, I16, I32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare_types(node, cx)?;
        let per_channel = y.quantization().is_some_and(|q| q.is_per_channel());
        match (x.ty, y.ty) {
            (F32, I8 | U8 | I16) if per_channel => Channels::new(&y, x.shape).map(Quantize::PerChannel),
            (F32, I4 | U4 | I8 | U8 | I16) => {
                Channels::new(&y, x.shape)?;
                node::quant(&y).map(Quantize::PerTensor)
            }
            (I8 | U8, I8 | U8 | I16) | (I16, I8 | I16 | I32) | (I32, I8 | I16) => rescale(&x, &y),
            (from, to) => Err(unsupported!("no kernel from {from} to {to}")),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.node().input(0)?, cx.node().output(0)?);
        match (self, y.ty) {
            (Quantize::PerTensor(to), I8) => from_f32::<i8>(cx, *to),
            (Quantize::PerTensor(to), U8) => from_f32::<u8>(cx, *to),
            (Quantize::PerTensor(to), I16) => from_f32::<i16>(cx, *to),
            (Quantize::PerTensor(to), ty) => to_packed(cx, *to, ty),
            (Quantize::PerChannel(channels), ty) => {
                let q = y.quantization().ok_or_else(|| invalid!("'{}' lost its quantization", y.name))?;
                match ty {
                    I8 => channelwise::<i8>(cx, channels, &q),
                    U8 => channelwise::<u8>(cx, channels, &q),
                    _ => channelwise::<i16>(cx, channels, &q),
                }
            }
            (Quantize::Rescale(r), ty) => match (x.ty, ty) {
                (I8, I8) => bytes::<i8, i8>(cx, r),
                (I8, U8) => bytes::<i8, u8>(cx, r),
                (U8, I8) => bytes::<u8, i8>(cx, r),
                (U8, U8) => bytes::<u8, u8>(cx, r),
                (I8, _) => unary::map(cx, |q: i8| r.apply(q.into()) as i16),
                (U8, _) => unary::map(cx, |q: u8| r.apply(q.into()) as i16),
                (I16, I8) => unary::map(cx, |q: i16| r.apply(q.into()) as i8),
                (I16, I16) => unary::map(cx, |q: i16| r.apply(q.into()) as i16),
                (I16, _) => unary::map(cx, |q: i16| r.apply(q.into())),
                (_, I8) => unary::map(cx, |q: i32| r.apply(q) as i8),
                _ => unary::map(cx, |q: i32| r.apply(q) as i16),
            },
        }
    }
}

fn rescale(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<Quantize> {
    if x.ty == I16 && y.ty == I16 {
        [x, y].into_iter().try_for_each(node::symmetric)?;
    }
    let (from, to) = (node::quant(x)?, node::quant(y)?);
    let multiplier = node::multiplier(f64::from(from.scale) / f64::from(to.scale), x, y)?;
    let limits = node::type_limits(y.ty).unwrap_or(Limits { min: i32::MIN, max: i32::MAX });
    let (input_zero_point, output_zero_point) = (from.zero_point, to.zero_point);
    Ok(Quantize::Rescale(Requantize { input_zero_point, output_zero_point, multiplier, limits }))
}

fn from_f32<Y: Quantized>(cx: &EvalContext<'_>, to: Quant) -> Result<()> {
    let whole_groups = grouped(cx, FLOAT_GROUP)?;
    let inverse = (1.0 / f64::from(to.scale)) as f32;
    unary::map_indexed(cx, |i, x: f32| match i < whole_groups {
        true => Y::saturate((round_ties_even(x * inverse) as i32).saturating_add(to.zero_point)),
        false => Y::saturate(to.quantize(x, Y::LIMITS)),
    })
}

fn channelwise<Y: Quantized>(cx: &EvalContext<'_>, channels: &Channels, q: &Quantization<'_>) -> Result<()> {
    unary::map_indexed(cx, |i, x: f32| Y::saturate(channels.quant(q, i).quantize(x, Y::LIMITS)))
}

fn to_packed(cx: &EvalContext<'_>, to: Quant, ty: ElementType) -> Result<()> {
    let limits = packed::limits(ty).ok_or_else(|| Error::unsupported("QUANTIZE", ty))?;
    let x = cx.input(0)?.as_slice::<f32>()?;
    packed::write(ty, cx.output(0)?.into_bytes(), x.len(), |i| to.quantize(x[i], limits));
    Ok(())
}

fn bytes<X: Quantized, Y: Quantized>(cx: &EvalContext<'_>, r: &Requantize) -> Result<()> {
    let whole_groups = grouped(cx, BYTE_GROUP)?;
    unary::map_indexed(cx, |i, q: X| {
        let q = q.into().wrapping_sub(r.input_zero_point);
        let scaled = match i < whole_groups {
            true => r.multiplier.apply_ties_up(q),
            false => r.multiplier.apply(q),
        };
        Y::saturate(scaled.wrapping_add(r.output_zero_point))
    })
}

/// Elements in whole groups.
fn grouped(cx: &EvalContext<'_>, group: usize) -> Result<usize> {
    let count = cx.node().input(0)?.len();
    Ok(count - count % group)
}
