//! FAKE_QUANT: clamps `x` and rounds it to the nearest of `2^num_bits` values from `min` to `max`, one of which is
//! zero. f32. Supports in-place operation.
//! Defined by: tflite/kernels/fake_quant.cc and internal/quantization_util.cc (`NudgeQuantizationRange`).

use arenite_abi::prelude::*;
use arenite_abi::schema::FakeQuantOptions;

use crate::kit::requantize::round_f32;
use crate::kit::unary;

plain! {
    /// A prepared `FAKE_QUANT` node: the range, nudged so that zero is one of its values, and the step.
    pub struct FakeQuant {
        min: f32,
        max: f32,
        scale: f32,
    }
}

impl Op for FakeQuant {
    const CODE: OpCode = OpCode::Builtin(op::FAKE_QUANT);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(F32);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        ensure!(
            !options.get(FakeQuantOptions::NARROW_RANGE)?,
            "narrow_range is set; it is meant for weights only"
        );
        let (x, _) = unary::prepare(node, cx)?;
        if x.ty != F32 {
            return Err(Error::unsupported("FAKE_QUANT", x.ty));
        }
        let (min, max) = (options.get(FakeQuantOptions::MIN)?, options.get(FakeQuantOptions::MAX)?);
        Ok(FakeQuant::new(min, max, options.get(FakeQuantOptions::NUM_BITS)?))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let FakeQuant { min, max, scale } = *self;
        let inverse_scale = 1.0 / scale;
        unary::map(cx, |x: f32| {
            // Written so that NaN becomes the smallest value.
            let above = if min < x { x } else { min };
            let clamped = if above < max { above } else { max };
            round_f32((clamped - min) * inverse_scale) * scale + min
        })
    }
}

impl FakeQuant {
    /// Absurd ranges and numbers of bits do not fail: they wrap, or give NaN.
    fn new(min: f32, max: f32, num_bits: i32) -> Self {
        let highest = 1i32.wrapping_shl(num_bits as u32).wrapping_sub(1);
        let scale = (max - min) / highest as f32;
        let zero_point = -min / scale;
        let zero_point = match zero_point {
            z if z < 0.0 => 0,
            z if z > highest as f32 => highest as u16,
            z => round_f32(z) as i64 as u16,
        };
        FakeQuant {
            min: -f32::from(zero_point) * scale,
            max: (highest as f32 - f32::from(zero_point)) * scale,
            scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: &[f32], min: f32, max: f32, bits: i32) -> OpTest<FakeQuant> {
        let test = OpTest::new().input(Tensor::f32(&[x.len() as i32], x)).output(Spec::f32());
        test.options(|o| {
            o.set(FakeQuantOptions::MIN, min)
                .set(FakeQuantOptions::MAX, max)
                .set(FakeQuantOptions::NUM_BITS, bits)
        })
    }

    #[test]
    fn values() {
        let run = |x: &[f32], min, max, bits| case(x, min, max, bits).in_place().run().unwrap()[0].as_f32();
        // Steps of 0.5 from -1 to 0.5.
        let y = run(&[-7.0, -0.8, -0.7, -0.25, 0.2, 0.3, 9.0], -1.0, 0.5, 2);
        assert_eq!(y, [-1.0, -1.0, -0.5, 0.0, 0.0, 0.5, 0.5]);
        // Zero must be a value: -1.2 … 1.8 in steps of 1 becomes -1 … 2.
        assert_eq!(run(&[-3.0, 0.4, 1.6, 3.0], -1.2, 1.8, 2), [-1.0, 0.0, 2.0, 2.0]);
        assert_eq!(run(&[2.9, 3.1], 0.0, 6.0, 1), [0.0, 6.0]);
        assert_eq!(run(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY], -1.0, 0.5, 2), [-1.0, 0.5, -1.0]);
        // Ranges without zero are moved to include it.
        assert_eq!(run(&[0.5, 5.0, -2.0], 1.0, 4.0, 2), [1.0, 3.0, 0.0]);
        assert_eq!(run(&[-0.5, -5.0, 2.0], -4.0, -1.0, 2), [0.0, -3.0, 0.0]);
    }

    #[test]
    fn absurd_ranges() {
        for (min, max, bits) in [(0.0, 0.0, 8), (0.0, 6.0, 0), (0.0, 6.0, 32), (-1e38, 3e38, 4)] {
            let y = case(&[0.0, 1.0], min, max, bits).run().unwrap();
            assert!(y[0].as_f32().iter().all(|y| y.is_nan()), "{min} {max} {bits}");
        }
        // From 17 bits on, the zero point is limited to 16 bits.
        let y = case(&[-7.0, 100.0], -3.0, 6.0, 20).run().unwrap()[0].as_f32();
        assert_eq!(y, [-0.187_497_32, 8.812_503]);
        let y = case(&[-7.0, 100.0], -3.0, 6.0, -1).run().unwrap()[0].as_f32();
        assert_eq!(y, [-1.831_948_8e-4, 8.999_817]);
        // min is above max.
        let y = case(&[-7.0, 100.0], 5.0, -5.0, 8).run().unwrap()[0].as_f32();
        assert_eq!(y, [-5.019_607_5, -5.019_607_5]);
    }
}
