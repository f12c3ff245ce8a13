//! AVERAGE_POOL_2D: the mean of each channel in a window without its padding, then the activation. f32, i8, u8, i16.
//! Quantized means are rounded to nearest, ties away from zero.
//! Defined by: tflite/kernels/pooling.cc.

use arenite_abi::prelude::*;

use crate::kit::pool::Pool;
use crate::kit::quantized::Quantized;

plain! {
    /// A prepared `AVERAGE_POOL_2D` node.
    pub struct AveragePool2d {
        pool: Pool,
        /// The sums of one pixel; empty for f32.
        sums: Scratch<i32>,
    }
}

impl Op for AveragePool2d {
    const CODE: OpCode = OpCode::Builtin(op::AVERAGE_POOL_2D);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let pool = Pool::prepare(node, cx)?;
        let sums = if node.input(0)?.ty == F32 { 0 } else { pool.channels() };
        Ok(AveragePool2d { sums: cx.scratch(sums)?, pool })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().input(0)?.ty {
            F32 => self.float(cx),
            I8 => self.quantized::<i8>(cx),
            U8 => self.quantized::<u8>(cx),
            I16 => self.quantized::<i16>(cx),
            ty => Err(Error::unsupported("AVERAGE_POOL_2D", ty)),
        }
    }
}

impl AveragePool2d {
    fn float(&self, cx: &EvalContext<'_>) -> Result<()> {
        let limits = self.pool.float_limits;
        self.pool.for_each::<f32>(cx, |patch, out| {
            out.iter().for_each(|sum| sum.set(0.0));
            patch.for_each_pixel(|pixel| {
                out.iter().zip(pixel.iter()).for_each(|(sum, x)| sum.set(sum.get() + x));
            });
            let count = patch.count() as f32;
            out.iter().for_each(|sum| sum.set(limits.clamp(sum.get() / count)));
        })
    }

    fn quantized<T: Quantized>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let sums = cx.scratch(&self.sums)?;
        let limits = self.pool.limits;
        self.pool.for_each::<T>(cx, |patch, out| {
            sums.fill(0);
            patch.for_each_pixel(|pixel| {
                for (sum, x) in sums.iter_mut().zip(pixel.iter()) {
                    *sum = sum.wrapping_add(x.into());
                }
            });
            let count = patch.count().max(1) as i64;
            for (out, &sum) in out.iter().zip(&*sums) {
                out.set(T::saturate(limits.clamp(rounded_quotient(sum, count))));
            }
        })
    }
}

/// `sum / count`, rounded to the nearest integer, ties away from zero; `count > 0`.
#[inline]
fn rounded_quotient(sum: i32, count: i64) -> i32 {
    let half = if sum > 0 { count / 2 } else { -(count / 2) };
    ((i64::from(sum) + half) / count) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::Pool2DOptions;
    use arenite_abi::schema::activation::{NONE, RELU6};
    use arenite_abi::schema::padding::{SAME, VALID};
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn options(
        padding: i8,
        stride: i32,
        activation: i8,
    ) -> impl Fn(OptionsBuilder<Pool2DOptions>) -> OptionsBuilder<Pool2DOptions> {
        move |o| {
            o.set(Pool2DOptions::PADDING, padding)
                .set(Pool2DOptions::STRIDE_W, stride)
                .set(Pool2DOptions::STRIDE_H, stride)
                .set(Pool2DOptions::FILTER_WIDTH, 2)
                .set(Pool2DOptions::FILTER_HEIGHT, 2)
                .set(Pool2DOptions::FUSED_ACTIVATION_FUNCTION, activation)
        }
    }

    #[test]
    fn float() {
        let x = Tensor::f32(&[1, 3, 2, 1], &[1.0, 3.0, 5.0, 7.0, 20.0, -6.0]);
        // Padding does not count: the last window of SAME has only one row.
        let cases: [(i8, i32, i8, &[f32]); 3] =
            [(VALID, 1, NONE, &[4.0, 6.5]), (SAME, 2, NONE, &[4.0, 7.0]), (SAME, 2, RELU6, &[4.0, 6.0])];
        for (padding, stride, activation, want) in cases {
            let test = OpTest::<AveragePool2d>::new().input(x.clone()).output(Spec::f32());
            let out = test.options(options(padding, stride, activation)).run().unwrap();
            assert_eq!(out[0].as_f32(), want);
        }
    }

    #[test]
    fn integers_round_away_from_zero() {
        let shape = [1, 2, 2, 1];
        let test = OpTest::<AveragePool2d>::new();
        // -6 / 4 = -1.5 and -5 / 4 = -1.25; 6 / 4 = 1.5.
        for (x, want) in [([-3, -3, 0, 0], -2), ([-3, -2, 0, 0], -1), ([3, 3, 0, 0], 2)] {
            let test = test.clone().input(Tensor::i8(&shape, &x)).output(Spec::of(I8));
            assert_eq!(test.options(options(VALID, 1, NONE)).run().unwrap()[0].as_i8(), [want]);
        }
        let u8s = test.clone().input(Tensor::u8(&shape, &[255, 255, 255, 253])).output(Spec::of(U8));
        assert_eq!(u8s.options(options(VALID, 1, NONE)).run().unwrap()[0].as_u8(), [255]);
        let i16s = test.clone().input(Tensor::i16(&shape, &[-32768; 4])).output(Spec::of(I16));
        assert_eq!(i16s.options(options(VALID, 1, NONE)).run().unwrap()[0].as_i16(), [-32768]);
        // RELU6 with scale 0.1 and zero point -3: at most 57.
        let relu6 = test.input(Tensor::i8(&shape, &[100; 4]).quantized(0.1, -3)).output(Spec::i8(0.1, -3));
        assert_eq!(relu6.options(options(VALID, 1, RELU6)).run().unwrap()[0].as_i8(), [57]);
    }

    #[test]
    fn empty_batch() {
        let test = OpTest::<AveragePool2d>::new().input(Tensor::f32(&[0, 2, 2, 3], &[])).output(Spec::f32());
        assert_eq!(test.options(options(VALID, 1, NONE)).run().unwrap()[0].shape(), [0, 1, 1, 3]);
    }
}
