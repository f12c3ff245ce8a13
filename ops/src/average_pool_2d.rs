//! AVERAGE_POOL_2D: the mean of each channel under a window, padding left out, then the activation. f32, i8, u8, i16.
//! Quantized means are rounded to nearest, ties away from zero.
//! Defined by: tflite/kernels/pooling.cc.

use arenite_abi::prelude::*;

use crate::kit::integer::Quantized;
use crate::kit::pool::Pool;

/// Prepared node.
pub struct AveragePool2d {
    pool: Pool,
    /// One pixel of sums; empty for f32.
    sums: Scratch<i32>,
}

impl Op for AveragePool2d {
    const CODE: OpCode = OpCode::Builtin(1);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let pool = Pool::prepare(node, cx)?;
        let sums = if node.input(0)?.ty == F32 { 0 } else { pool.channels() };
        Ok(AveragePool2d { sums: cx.scratch(sums)?, pool })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.input(0)?.ty {
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
        let (x, y) = (cx.input(0)?.as_slice::<f32>()?, cx.output(0)?.into_slice::<f32>()?);
        let limits = self.pool.float_limits;
        self.pool.for_each(cx, x, y, |patch, out| {
            out.fill(0.0);
            for pixel in patch.pixels() {
                for (sum, &x) in out.iter_mut().zip(pixel) {
                    *sum += x;
                }
            }
            let count = patch.count() as f32;
            out.iter_mut().for_each(|sum| *sum = limits.clamp(*sum / count));
        })
    }

    fn quantized<T: Quantized>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input(0)?.as_slice::<T>()?, cx.output(0)?.into_slice::<T>()?);
        let sums = cx.scratch(&self.sums)?;
        let limits = self.pool.limits;
        self.pool.for_each(cx, x, y, |patch, out| {
            sums.fill(0);
            for pixel in patch.pixels() {
                for (sum, &x) in sums.iter_mut().zip(pixel) {
                    *sum = sum.wrapping_add(x.into());
                }
            }
            let count = patch.count().max(1) as i64;
            for (out, &sum) in out.iter_mut().zip(&*sums) {
                *out = T::saturate(limits.clamp(rounded_quotient(sum, count)));
            }
        })
    }
}

/// `sum / count` to the nearest whole number, ties away from zero; `count > 0`.
#[inline]
fn rounded_quotient(sum: i32, count: i64) -> i32 {
    let half = if sum > 0 { count / 2 } else { -(count / 2) };
    ((i64::from(sum) + half) / count) as i32
}
