//! POW: `y = aᵇ`, with broadcasting. f32, i32. Supports in-place operation.
//!
//! i32 exponents must not be negative, and results that do not fit become the smallest integer. A single exponent for a
//! tensor of another shape that is close to a positive integer is computed by multiplications in the type: f32 within
//! the finite numbers, i32 wrapping.
//! Defined by: tflite/kernels/pow.cc and optimized/optimized_ops.h (`BroadcastPow4D`, `IntegerExponentPow`).

use arenite_abi::prelude::*;

use crate::kit::activation::Activation;
use crate::kit::broadcast::Broadcast;
use crate::kit::requantize::round_f32;
use crate::kit::{binary, float};

plain! {
    /// A prepared `POW` node.
    pub struct Pow {
        broadcast: Broadcast<2>,
        /// Whether there is a single exponent and the shapes differ.
        one_exponent: bool,
    }
}

impl Op for Pow {
    const CODE: OpCode = OpCode::Builtin(op::POW);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        if !matches!(operands.y.ty, F32 | I32) {
            return Err(Error::unsupported("POW", operands.y.ty));
        }
        let one_exponent = operands.b.len() == 1 && operands.a.shape != operands.b.shape;
        Ok(Pow { broadcast: operands.broadcast()?, one_exponent })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => self.floats(cx),
            _ => self.integers(cx),
        }
    }
}

impl Pow {
    fn floats(&self, cx: &EvalContext<'_>) -> Result<()> {
        let exponents = cx.input_cells::<f32>(1)?;
        let whole = if self.one_exponent { exponents.iter().next().and_then(near_whole) } else { None };
        let Some(exponent) = whole else { return binary::map(cx, &self.broadcast, float::pow) };
        let finite = Activation::None.f32_range();
        binary::map(cx, &self.broadcast, |a: f32, _: f32| repeat(a, exponent, &|a, b| finite.clamp(a * b)))
    }

    fn integers(&self, cx: &EvalContext<'_>) -> Result<()> {
        let exponents = cx.input_cells::<i32>(1)?;
        for exponent in exponents.iter() {
            ensure!(exponent >= 0, "an exponent is {exponent}; for INT32 it must not be negative");
        }
        if self.one_exponent
            && let Some(exponent @ 1..) = exponents.iter().next()
        {
            let power = |a: i32, _: i32| repeat(a, exponent.unsigned_abs(), &i32::wrapping_mul);
            return binary::map(cx, &self.broadcast, power);
        }
        binary::map(cx, &self.broadcast, |a: i32, b: i32| a.checked_pow(b.unsigned_abs()).unwrap_or(i32::MIN))
    }
}

/// The integer within 0.00001 of `x`, if it is positive and fits i32.
fn near_whole(x: f32) -> Option<u32> {
    let whole = round_f32(x);
    let fits = (1.0..2_147_483_648.0).contains(&whole);
    (fits && (x - whole).abs() < 1e-5).then_some(whole as u32)
}

/// Raises `x` to a power by squaring, starting with half the exponent: the order determines the rounding. The exponent
/// must be at least 1.
fn repeat<T: Copy>(x: T, exponent: u32, multiply: &impl Fn(T, T) -> T) -> T {
    if exponent <= 1 {
        return x;
    }
    let root = repeat(x, exponent / 2, multiply);
    let square = multiply(root, root);
    if exponent % 2 == 1 { multiply(x, square) } else { square }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn floats(a: &[f32], b: Tensor) -> Vec<f32> {
        let test = OpTest::<Pow>::new().input(Tensor::f32(&[a.len() as i32], a)).input(b);
        test.output(Spec::f32()).in_place().run().unwrap()[0].as_f32()
    }

    fn integers(a: &[i32], b: Tensor) -> Vec<i32> {
        let test = OpTest::<Pow>::new().input(Tensor::i32(&[a.len() as i32], a)).input(b);
        test.output(Spec::i32()).in_place().run().unwrap()[0].as_i32()
    }

    #[test]
    fn real_powers() {
        let b = Tensor::f32(&[5], &[2.0, 0.5, -1.0, 2.0, 2.0]);
        let y = floats(&[3.0, 2.0, 4.0, 1e30, f32::NEG_INFINITY], b);
        assert_eq!(y, [9.0, core::f32::consts::SQRT_2, 0.25, f32::INFINITY, f32::INFINITY]);
        assert_eq!(floats(&[4.0, 9.0], Tensor::f32(&[], &[0.5])), [2.0, 3.0]);
        assert_eq!(floats(&[4.0, 0.0], Tensor::f32(&[1], &[0.0])), [1.0, 1.0]);
        assert!(floats(&[-4.0], Tensor::f32(&[1], &[0.5]))[0].is_nan());
        assert_eq!(floats(&[2.0, 0.5], Tensor::f32(&[1], &[1e10])), [f32::INFINITY, 0.0]);
    }

    #[test]
    fn a_single_integer_exponent_stays_finite() {
        let y = floats(&[1e30, -1e30, 3.0, f32::INFINITY], Tensor::f32(&[], &[3.0]));
        assert_eq!(y, [f32::MAX, f32::MIN, 27.0, f32::MAX]);
        assert_eq!(floats(&[f32::INFINITY, 5.0], Tensor::f32(&[], &[1.0])), [f32::INFINITY, 5.0]);
        assert_eq!(floats(&[1.5, 2.0], Tensor::f32(&[1], &[2.000_005])), [2.25, 4.0]);
        assert!(floats(&[f32::NAN, 2.0], Tensor::f32(&[1], &[2.0]))[0].is_nan());
    }

    #[test]
    fn powers_of_integers() {
        let b = Tensor::i32(&[7], &[19, 20, 31, 31, 0, 21, i32::MAX]);
        let y = integers(&[3, 3, -2, 2, 0, -3, -1], b);
        assert_eq!(y, [1_162_261_467, i32::MIN, i32::MIN, i32::MIN, 1, i32::MIN, -1]);
        assert_eq!(integers(&[46_341, 3, 65_536], Tensor::i32(&[], &[2])), [-2_147_479_015, 9, 0]);
        assert_eq!(integers(&[2, 5], Tensor::i32(&[1], &[31])), [i32::MIN, -2_128_439_731]);
        assert_eq!(integers(&[2, 5], Tensor::i32(&[], &[0])), [1, 1]);
        assert_eq!(integers(&[7], Tensor::i32(&[1], &[i32::MAX])), [i32::MIN]);
    }
}
