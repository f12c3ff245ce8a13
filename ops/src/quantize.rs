//! QUANTIZE: f32 to i4, u4, i8, u8, i16 (8 and 16 bits also per channel); i8, u8, i16, i32 to another quantization.
//! Defined by: tflite/kernels/quantize.cc, optimized/optimized_ops.h (`AffineQuantize`, `Requantize`).
//!
//! TFLite's SIMD kernels process whole groups of elements, and scalar code the rest. The two round differently, so the
//! position of an element matters. With 8 bits on both sides, groups of 16 round ties up. From f32 to a per-tensor type
//! of 8 or 16 bits, groups of 8 multiply by `1 / scale` and round ties to even; scalar code divides in f64 and rounds
//! ties away from zero.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::channel_quant::ChannelQuant;
use crate::kit::float::round_ties_even;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::{Quant, Requantize, round_f64};
use crate::kit::{node, packed, unary};

plain! {
    /// A prepared `QUANTIZE` node.
    pub enum Quantize {
        /// From f32, with one scale.
        PerTensor(Quant),
        /// From f32, with a scale per channel.
        PerChannel(ChannelQuant),
        /// From integers to integers.
        Rescale(Requantize),
    }
}

const FLOAT_GROUP: usize = 8;
const BYTE_GROUP: usize = 16;

impl Op for Quantize {
    const CODE: OpCode = OpCode::Builtin(op::QUANTIZE);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I4, U4, I8, U8, I16, I32]);
    const SHARING: Sharing = Sharing::AnyOf(&[Sharing::InPlace, Sharing::Behind]);
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare_types(node, cx)?;
        unary::allow_behind(cx, &x, &y)?;
        let per_channel = y.quantization().is_some_and(|q| q.is_per_channel());
        match (x.ty, y.ty) {
            (F32, I8 | U8 | I16) if per_channel => ChannelQuant::new(&y, x.shape).map(Quantize::PerChannel),
            (F32, I4 | U4 | I8 | U8 | I16) => {
                ChannelQuant::new(&y, x.shape)?;
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
                let q = y.quantization().ok_or_else(|| invalid!("{y} lost its quantization"))?;
                match ty {
                    I8 => channelwise::<i8>(cx, channels, &q),
                    U8 => channelwise::<u8>(cx, channels, &q),
                    _ => channelwise::<i16>(cx, channels, &q),
                }
            }
            (Quantize::Rescale(r), ty) => rescaled(cx, r, x.ty, ty),
        }
    }

    fn form(&self) -> &'static str {
        if matches!(self, Quantize::Rescale(_)) { "ar_embed_quantize_rescale" } else { "" }
    }
}

impl Quantize {
    /// `eval` for integers alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_rescale(&self, cx: &EvalContext<'_>) -> Result<()> {
        let Quantize::Rescale(r) = self else { return Err(node::other_form()) };
        rescaled(cx, r, cx.node().input(0)?.ty, cx.node().output(0)?.ty)
    }
}

fn rescaled(cx: &EvalContext<'_>, r: &Requantize, from: ElementType, to: ElementType) -> Result<()> {
    match (from, to) {
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
        false => {
            let steps = round_f64(f64::from(x) / f64::from(to.scale));
            Y::saturate((steps as i32).saturating_add(to.zero_point))
        }
    })
}

fn channelwise<Y: Quantized>(
    cx: &EvalContext<'_>,
    channels: &ChannelQuant,
    q: &Quantization<'_>,
) -> Result<()> {
    unary::map_indexed(cx, |i, x: f32| Y::saturate(channels.quant(q, i).quantize(x, Y::LIMITS)))
}

fn to_packed(cx: &EvalContext<'_>, to: Quant, ty: ElementType) -> Result<()> {
    let limits = packed::limits(ty).ok_or_else(|| Error::unsupported("QUANTIZE", ty))?;
    let x = cx.input_slice::<f32>(0)?;
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

/// The number of elements in whole groups.
fn grouped(cx: &EvalContext<'_>, group: usize) -> Result<usize> {
    let count = cx.node().input(0)?.len();
    Ok(count - count % group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec) -> OpTest<Quantize> {
        OpTest::new().input(x).output(y)
    }

    #[test]
    fn from_floats() {
        // Nine elements: the group of eight rounds ties to even, the last element rounds away from zero.
        let x = Tensor::f32(&[9], &[0.25, 0.75, -0.25, -0.75, 1e9, -1e9, 1.0, 0.0, 0.25]);
        let y = case(x.clone(), Spec::i8(0.5, 1)).run().unwrap();
        assert_eq!(y[0].as_i8(), [1, 3, 1, -1, 127, -128, 3, 1, 2]);
        let y = case(x.clone(), Spec::u8(0.5, 1)).run().unwrap();
        assert_eq!(y[0].as_u8(), [1, 3, 1, 0, 255, 0, 3, 1, 2]);
        let y = case(x, Spec::i16(0.5, 0)).run().unwrap();
        assert_eq!(y[0].as_i16(), [0, 2, 0, -2, 32767, -32768, 2, 0, 1]);
        let x = Tensor::f32(&[3], &[0.25, -100.0, 100.0]);
        let y = case(x.clone(), Spec::of(I4).quantized(0.5, 1)).run().unwrap();
        assert_eq!(y[0].as_i4(), [2, -8, 7]);
        let y = case(x, Spec::of(U4).quantized(0.5, 1)).run().unwrap();
        assert_eq!(y[0].bytes(), [0x02, 0x0f]);
    }

    #[test]
    fn per_channel() {
        let scales = Tensor::i8(&[], &[0]).per_channel(&[1.0, 0.5], &[0, 10], 1);
        let spec = Spec::of(I8).with_quantization(scales.quantization().unwrap().clone());
        let x = Tensor::f32(&[2, 2], &[1.5, 1.5, -2.0, -2.0]);
        assert_eq!(case(x, spec.clone()).run().unwrap()[0].as_i8(), [2, 13, -2, 6]);
        let x = Tensor::f32(&[2, 3], &[0.0; 6]);
        assert_eq!(
            case(x.clone(), spec).run().unwrap_err().message(),
            "'out0' [2, 3] has 2 scales along dimension 1; the numbers must agree"
        );
        assert_eq!(case(x, Spec::of(I8)).run().unwrap_err().message(), "'out0' is INT8 without quantization");
    }

    #[test]
    fn between_integers() {
        let x = Tensor::i8(&[3], &[-128, 0, 127]).quantized(0.5, 0);
        let y = case(x.clone(), Spec::u8(0.5, 128)).in_place().run().unwrap();
        assert_eq!(y[0].as_u8(), [0, 128, 255]);
        assert_eq!(case(x.clone(), Spec::i8(1.0, 1)).run().unwrap()[0].as_i8(), [-63, 1, 65]);
        assert_eq!(case(x, Spec::i16(0.25, 0)).run().unwrap()[0].as_i16(), [-256, 0, 254]);
        let x = Tensor::i16(&[2], &[1000, -3]).quantized(0.5, 0);
        assert_eq!(case(x.clone(), Spec::i8(0.5, 0)).run().unwrap()[0].as_i8(), [127, -3]);
        let y = case(x.clone(), Spec::of(I32).quantized(0.125, 5)).run().unwrap();
        assert_eq!(y[0].as_i32(), [4005, -7]);
        assert_eq!(case(x, Spec::i16(1.0, 0)).run().unwrap()[0].as_i16(), [500, -1]);
        let x = Tensor::i32(&[2], &[1000, -300]).quantized(0.5, 100);
        assert_eq!(case(x.clone(), Spec::i16(0.5, 7)).run().unwrap()[0].as_i16(), [907, -393]);
        assert_eq!(case(x, Spec::i8(4.0, 0)).run().unwrap()[0].as_i8(), [113, -50]);
    }

    #[test]
    fn negative_ties_round_by_position() {
        // A quarter of -6: -1 in the group of 16, where ties are rounded up; -2 after it, away from zero.
        let x = Tensor::i8(&[17], &[-6; 17]).quantized(0.25, 0);
        let y = case(x, Spec::i8(1.0, 0)).run().unwrap()[0].as_i8();
        assert_eq!((&y[..16], y[16]), (&[-1; 16][..], -2));
    }
}
