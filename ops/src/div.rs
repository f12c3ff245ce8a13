//! DIV: `y = activation(a / b)`, with broadcasting. f32, i32 (rounded towards zero); i8, u8, i16 quantized. Supports
//! in-place operation.
//!
//! With integers, a zero divisor is an error.
//! Defined by: tflite/kernels/div.cc and reference/div.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::DivOptions;

use crate::kit::activation::{Activation, Limits};
use crate::kit::binary::{self, Operands};
use crate::kit::broadcast::Broadcast;
use crate::kit::fixed_point::reciprocal;
use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::{Multiplier, Quant};

plain! {
    /// A prepared `DIV` node.
    pub struct Div {
        broadcast: Broadcast<2>,
        arithmetic: Arithmetic,
    }
}

plain! {
    enum Arithmetic {
        Plain(Activation),
        Quantized(Quotient),
    }
}

plain! {
    /// `y = clamp((a - za) / (b - zb) × factor + zy)`.
    struct Quotient {
        zero_points: [i32; 2],
        factor: Multiplier,
        output_zero_point: i32,
        limits: Limits<i32>,
    }
}

impl Op for Div {
    const CODE: OpCode = OpCode::Builtin(op::DIV);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I8, U8, I16]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let activation = node::range_activation(node.options()?.get(DivOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let arithmetic = match operands.a.ty {
            F32 | I32 => Arithmetic::Plain(activation),
            I8 | U8 | I16 => Arithmetic::Quantized(Quotient::new(&operands, activation)?),
            ty => return Err(Error::unsupported("DIV", ty)),
        };
        Ok(Div { broadcast: operands.broadcast()?, arithmetic })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let loops = &self.broadcast;
        match (&self.arithmetic, cx.node().output(0)?.ty) {
            (Arithmetic::Plain(activation), I32) => {
                binary::nonzero(cx, 0i32)?;
                let range = activation.i32_range();
                // The only quotient that overflows saturates.
                binary::map(cx, loops, |a: i32, b: i32| range.clamp(a.checked_div(b).unwrap_or(i32::MAX)))
            }
            (Arithmetic::Plain(activation), _) => {
                let range = activation.f32_range();
                binary::map(cx, loops, |a: f32, b: f32| range.clamp(a / b))
            }
            (Arithmetic::Quantized(quotient), I8) => quotient.map::<i8>(cx, loops),
            (Arithmetic::Quantized(quotient), U8) => quotient.map::<u8>(cx, loops),
            (Arithmetic::Quantized(quotient), _) => quotient.map::<i16>(cx, loops),
        }
    }
}

impl Quotient {
    fn new(operands: &Operands<'_>, activation: Activation) -> Result<Self> {
        let Operands { a, b, y, .. } = operands;
        let (qa, qb, qy) = (node::quant(a)?, node::quant(b)?, node::quant(y)?);
        Ok(Quotient {
            zero_points: [qa, qb].map(|Quant { zero_point, .. }| zero_point),
            // Computed in f32, as in TFLite: a quotient in f64 gives other multipliers.
            factor: node::multiplier(f64::from(qa.scale / (qb.scale * qy.scale)), a, y)?,
            output_zero_point: qy.zero_point,
            limits: node::quantized_range(activation, y)?,
        })
    }

    fn map<T: Quantized + PartialEq>(&self, cx: &EvalContext<'_>, loops: &Broadcast<2>) -> Result<()> {
        if T::LIMITS.clamp(self.zero_points[1]) == self.zero_points[1] {
            binary::nonzero(cx, T::saturate(self.zero_points[1]))?;
        }
        binary::map(cx, loops, |a: T, b: T| T::saturate(self.apply(a.into(), b.into())))
    }

    /// Divides two quantized numbers; the divisor must differ from its zero point.
    #[inline]
    fn apply(&self, a: i32, b: i32) -> i32 {
        let (a, b) = (a.wrapping_sub(self.zero_points[0]), b.wrapping_sub(self.zero_points[1]));
        let (a, b) = if b < 0 { (a.wrapping_neg(), b.wrapping_neg()) } else { (a, b) };
        let (inverse, bits) = reciprocal(b, 31);
        // The number of leading bits that repeat the sign.
        let headroom = if a < 0 { a.leading_ones() } else { a.leading_zeros() } as i32 - 1;
        let quotient = Multiplier { value: inverse, shift: headroom }.apply(a);
        let shift = self.factor.shift - bits - headroom;
        let scaled = Multiplier { value: self.factor.value, shift }.apply_right(quotient);
        self.limits.clamp(scaled.wrapping_add(self.output_zero_point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::activation;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(a: Tensor, b: Tensor, y: Spec) -> OpTest<Div> {
        OpTest::new().input(a).input(b).output(y)
    }

    #[test]
    fn floats_stay_finite() {
        let (a, b) = (Tensor::f32(&[2, 1], &[3.0, -1.0]), Tensor::f32(&[3], &[2.0, 0.0, -4.0]));
        let y = case(a.clone(), b.clone(), Spec::f32()).run().unwrap();
        assert_eq!(y[0].shape(), [2, 3]);
        assert_eq!(y[0].as_f32(), [1.5, f32::MAX, -0.75, -0.5, f32::MIN, 0.25]);
        let y = case(a, b, Spec::f32())
            .options(|o| o.set(DivOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU_N1_TO_1))
            .run()
            .unwrap();
        assert_eq!(y[0].as_f32(), [1.0, 1.0, -0.75, -0.5, -1.0, 0.25]);
        let zero = Tensor::f32(&[1], &[0.0]);
        assert!(case(zero.clone(), zero, Spec::f32()).in_place().run().unwrap()[0].as_f32()[0].is_nan());
    }

    #[test]
    fn integers_round_to_zero_and_saturate() {
        let (a, b) = (Tensor::i32(&[4], &[-9, 9, 7, i32::MIN]), Tensor::i32(&[4], &[2, -2, 2, -1]));
        let y = case(a.clone(), b.clone(), Spec::i32()).in_place().run().unwrap();
        assert_eq!(y[0].as_i32(), [-4, -4, 3, i32::MAX]);
        let y = case(a, b, Spec::i32())
            .options(|o| o.set(DivOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6))
            .run()
            .unwrap();
        assert_eq!(y[0].as_i32(), [0, 0, 3, 6]);
    }

    #[test]
    fn quantized() {
        // 0.5 (42 - 2) / (0.25 (-12 + 4)) = -10, 0.5 (-40) / (0.25 × 16) = -5, in steps of 0.5.
        let a = Tensor::i8(&[2], &[42, -38]).quantized(0.5, 2);
        let b = Tensor::i8(&[2], &[-12, 12]).quantized(0.25, -4);
        let y = case(a.clone(), b.clone(), Spec::i8(0.5, 1)).in_place().run().unwrap();
        assert_eq!(y[0].as_i8(), [-19, -9]);
        let y = case(a, b, Spec::i8(0.5, 1))
            .options(|o| o.set(DivOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU))
            .run()
            .unwrap();
        assert_eq!(y[0].as_i8(), [1, 1]);
        // 100 / 20 = 5; 127 / 1 saturates at 255 - 10 steps of 0.25.
        let a = Tensor::u8(&[2], &[228, 255]).quantized(1.0, 128);
        let b = Tensor::u8(&[2], &[148, 129]).quantized(1.0, 128);
        assert_eq!(case(a, b, Spec::u8(0.25, 10)).run().unwrap()[0].as_u8(), [30, 255]);
        let w = |q: &[i16]| Tensor::i16(&[q.len() as i32], q).quantized(0.5, 0);
        let y = case(w(&[30_000, -3]), w(&[100]), Spec::i16(0.125, 0)).run().unwrap();
        assert_eq!(y[0].as_i16(), [2400, 0]);
    }

    #[test]
    fn quotients_far_below_one_step_overflow_the_shift() {
        // LiteRT's results: 1/3, 1/4 and 2/8 are zero; for 1/8, -1/7 and 2/100 the shift overflows.
        let q = |q: &[i8]| Tensor::i8(&[6], q).quantized(1.0, 0);
        let y = case(q(&[1, 1, 2, 1, -1, 2]), q(&[3, 4, 8, 8, 7, 100]), Spec::i8(1.0, 0)).run().unwrap();
        assert_eq!(y[0].as_i8(), [0, 0, 0, 127, -128, 127]);
        let w = |q: &[i8]| Tensor::i8(&[5], q).quantized(1.0, 0);
        let y = case(w(&[5, 3, 1, 0, -4]), w(&[3; 5]), Spec::i8(1e-11, 0)).run().unwrap();
        assert_eq!(y[0].as_i8(), [39, 24, 8, 1, -32]);
    }
}
