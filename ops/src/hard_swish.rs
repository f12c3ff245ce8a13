//! HARD_SWISH: `y = x × clamp(x + 3, 0, 6) / 6`. f32; i8, u8 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc and reference/hard_swish.h.

use arenite_abi::prelude::*;

use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::{
    Multiplier, rounding_divide_by_pot, saturating_rounding_doubling_high_mul_i16 as high_mul,
};
use crate::kit::unary;

plain! {
    /// A prepared `HARD_SWISH` node.
    pub struct HardSwish(Maybe<QuantizedHardSwish>);
}

plain! {
    /// 16-bit arithmetic: `x` is converted to 1/128 of a step, and to the scale in which 32768 represents 3.
    struct QuantizedHardSwish {
        input_zero_point: i32,
        output_zero_point: i32,
        output: Multiplier16,
        reluish: Multiplier16,
    }
}

plain! {
    /// Multiplies by `value / 2^15 × 2^exponent`.
    struct Multiplier16 {
        value: i16,
        exponent: i32,
    }
}

const STEPS: f32 = 1.0 / 128.0;
const RELUISH_SCALE: f32 = 3.0 / 32768.0;

impl Op for HardSwish {
    const CODE: OpCode = OpCode::Builtin(op::HARD_SWISH);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        match x.ty {
            F32 => Ok(HardSwish(Maybe::Absent)),
            I8 | U8 => QuantizedHardSwish::new(&x, &y).map(|scaled| HardSwish(Maybe::Present(scaled))),
            ty => Err(Error::unsupported("HARD_SWISH", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (cx.node().output(0)?.ty, self.0.as_ref()) {
            (I8, Some(scaled)) => unary::map(cx, |q: i8| i8::saturate(scaled.apply(q.into()))),
            (U8, Some(scaled)) => unary::map(cx, |q: u8| u8::saturate(scaled.apply(q.into()))),
            _ => unary::map(cx, |x: f32| x * (x + 3.0).clamp(0.0, 6.0) / 6.0),
        }
    }
}

impl QuantizedHardSwish {
    fn new(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<Self> {
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        let fine_scale = STEPS * from.scale;
        let output = Multiplier16::new(node::multiplier(f64::from(fine_scale / to.scale), x, y)?);
        ensure!(
            output.exponent <= 0,
            "the scale {} of {x} is more than 128 times the scale {} of {y}",
            from.scale,
            to.scale
        );
        Ok(QuantizedHardSwish {
            input_zero_point: from.zero_point,
            output_zero_point: to.zero_point,
            output,
            reluish: Multiplier16::new(node::multiplier(f64::from(fine_scale / RELUISH_SCALE), x, y)?),
        })
    }

    fn apply(&self, q: i32) -> i32 {
        let fine = (q.wrapping_sub(self.input_zero_point) as i16).wrapping_mul(1 << 7);
        let on_output_scale = high_mul(fine, self.output.value);
        // Maps [-1, 1] to [0, 1].
        let weight = (i32::from(self.reluish(fine)) + (1 << 15)) >> 1;
        let product = doubling_high_mul_towards_zero(weight as i16, on_output_scale);
        let shifted = rounding_divide_by_pot(product.into(), self.output.exponent.unsigned_abs());
        shifted.wrapping_add(self.output_zero_point)
    }

    /// Computes `x / 3`, saturated to [-1, 1]; the last bit of a left shift is applied after the multiplication.
    fn reluish(&self, fine: i16) -> i16 {
        let Multiplier16 { value, exponent } = self.reluish;
        match exponent {
            1.. => {
                let shifted = saturating_shift(fine, exponent.unsigned_abs() - 1);
                saturating_shift(high_mul(shifted, value), 1)
            }
            _ => rounding_divide_by_pot(high_mul(fine, value).into(), exponent.unsigned_abs()) as i16,
        }
    }
}

impl Multiplier16 {
    /// The nearest multiplier with 15 bits.
    fn new(Multiplier { value, shift }: Multiplier) -> Self {
        let rounded = (i64::from(value) + (1 << 15)) >> 16;
        Multiplier16 { value: rounded.min(i16::MAX.into()) as i16, exponent: shift }
    }
}

fn saturating_shift(x: i16, amount: u32) -> i16 {
    let shifted = i64::from(x) << amount.min(32);
    shifted.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// `a × b / 2^15`, rounded towards zero.
fn doubling_high_mul_towards_zero(a: i16, b: i16) -> i16 {
    let product = i32::from(a) * i32::from(b) / (1 << 15);
    product.min(i16::MAX.into()) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec) -> OpTest<HardSwish> {
        OpTest::new().input(x).output(y)
    }

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 3], &[-4.0, -3.0, -1.5, 0.0, 1.5, 4.0]);
        let y = case(x, Spec::f32()).in_place().run().unwrap();
        assert_eq!(y[0].as_f32(), [0.0, 0.0, -0.375, 0.0, 1.125, 4.0]);
    }

    #[test]
    fn eight_bit_results_stay_near_the_formula() {
        let (from, to) = (0.0625f32, 0.0625f32);
        let q: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        let y = case(Tensor::i8(&[256], &q).quantized(from, 3), Spec::i8(to, -5)).run().unwrap();
        for (q, y) in q.iter().zip(y[0].as_i8()) {
            let x = from * (f32::from(*q) - 3.0);
            let real = x * (x + 3.0).clamp(0.0, 6.0) / 6.0 / to - 5.0;
            assert!((f32::from(y) - real.clamp(-128.0, 127.0)).abs() <= 1.0, "{q}: {y}, not {real}");
        }
        // Beyond ±3 the result is exact: x, or 0.
        let x = Tensor::u8(&[2], &[0, 255]).quantized(0.0625, 128);
        assert_eq!(case(x, Spec::u8(0.0625, 100)).run().unwrap()[0].as_u8(), [100, 227]);
    }
}
