//! Two quantized numbers brought to one scale, combined, and brought to the output's scale.
//!
//! ```text
//! a' = (a - za) 2^shift × sa / (2 max(sa, sb))      b' likewise
//! y  = clamp(combine(a', b') × output + zy)
//! ```
//! Defined by: tflite/kernels/{add,sub,squared_difference}.cc and reference/{add,sub}.h.

use arenite_abi::prelude::*;

use super::activation::Limits;
use super::binary::{self, Operands};
use super::integer::Quantized;
use super::node::{multiplier, quant, type_limits};
use super::requantize::{Multiplier, rounding_divide_by_pot};

/// Everything that does not depend on data.
#[derive(Clone, Copy)]
pub struct ScaledPair {
    zero_points: [i32; 2],
    left_shift: u32,
    inputs: [Multiplier; 2],
    output: Multiplier,
    output_zero_point: i32,
    limits: Limits<i32>,
}

impl ScaledPair {
    /// For a combination of which the result has the unit of its arguments: sums and differences.
    /// `2^left_shift` keeps the digits that rounding would lose; the sum must still fit 32 bits.
    pub fn linear(operands: &Operands<'_>, left_shift: u32, limits: Limits<i32>) -> Result<Self> {
        Self::new(operands, left_shift, limits, |twice_max, output| {
            f64::from(twice_max) / f64::from((1u32 << left_shift) as f32 * output)
        })
    }

    /// For a combination of which the result has the square of the unit.
    pub fn quadratic(operands: &Operands<'_>, left_shift: u32, limits: Limits<i32>) -> Result<Self> {
        Self::new(operands, left_shift, limits, |twice_max, output| {
            f64::from(twice_max) * f64::from(twice_max)
                / f64::from((1u32 << (2 * left_shift)) as f32 * output)
        })
    }

    fn new(
        operands: &Operands<'_>,
        left_shift: u32,
        limits: Limits<i32>,
        output_ratio: impl Fn(f32, f32) -> f64,
    ) -> Result<Self> {
        let Operands { a, b, y, .. } = operands;
        let (qa, qb, qy) = (quant(a)?, quant(b)?, quant(y)?);
        for (x, q) in [(a, qa), (b, qb), (y, qy)] {
            ensure!(
                type_limits(x.ty).is_some_and(|l| (l.min..=l.max).contains(&q.zero_point)),
                "'{}' has zero point {}, which {} does not hold",
                x.name,
                q.zero_point,
                x.ty
            );
        }
        let twice_max = 2.0 * qa.scale.max(qb.scale);
        Ok(ScaledPair {
            zero_points: [qa.zero_point, qb.zero_point],
            left_shift,
            inputs: [
                multiplier(f64::from(qa.scale) / f64::from(twice_max), a, b)?,
                multiplier(f64::from(qb.scale) / f64::from(twice_max), b, a)?,
            ],
            output: multiplier(output_ratio(twice_max, qy.scale), a, y)?,
            output_zero_point: qy.zero_point,
            limits,
        })
    }

    /// The quantized result for one pair.
    #[inline]
    pub fn apply(&self, a: i32, b: i32, combine: impl Fn(i32, i32) -> i32) -> i32 {
        let [a, b] = [(a, 0), (b, 1)].map(|(x, i)| {
            let shifted = x.wrapping_sub(self.zero_points[i]).wrapping_mul(1 << self.left_shift);
            self.inputs[i].apply(shifted)
        });
        let scaled = self.output.apply(combine(a, b));
        self.limits.clamp(scaled.wrapping_add(self.output_zero_point))
    }

    /// All elements of tensors of type `T`.
    pub fn map<T: Quantized>(
        &self,
        cx: &EvalContext<'_>,
        broadcast: &super::broadcast::Broadcast<2>,
        combine: impl Fn(i32, i32) -> i32,
    ) -> Result<()> {
        binary::map(cx, broadcast, |a: T, b: T| T::saturate(self.apply(a.into(), b.into(), &combine)))
    }
}

/// Two symmetric 16-bit inputs whose scales are powers of two: one of them has the output's scale, the other a finer
/// one, and is divided.
#[derive(Clone, Copy)]
pub struct PowerOfTwoPair {
    right_shifts: [u32; 2],
    limits: Limits<i32>,
}

impl PowerOfTwoPair {
    /// `None` when a scale is no power of two.
    pub fn new(operands: &Operands<'_>, limits: Limits<i32>) -> Result<Option<Self>> {
        let Operands { a, b, y, .. } = operands;
        let logs = [a, b, y].map(|x| quant(x).map(|q| log2_if_power(q.scale)));
        let [Some(la), Some(lb), Some(ly)] = [logs[0]?, logs[1]?, logs[2]?] else { return Ok(None) };
        let shifts = [ly - la, ly - lb];
        ensure!(
            shifts.contains(&0) && shifts.iter().all(|s| (0..=31).contains(s)),
            "scales of '{}', '{}' and '{}' are 2^{la}, 2^{lb} and 2^{ly}; one input must have the output's scale, the \
             other must not have a larger one",
            a.name,
            b.name,
            y.name
        );
        Ok(Some(PowerOfTwoPair { right_shifts: shifts.map(|s| s as u32), limits }))
    }

    /// All elements of 16-bit tensors.
    pub fn map(
        &self,
        cx: &EvalContext<'_>,
        broadcast: &super::broadcast::Broadcast<2>,
        combine: impl Fn(i32, i32) -> i32,
    ) -> Result<()> {
        let [sa, sb] = self.right_shifts;
        binary::map(cx, broadcast, |a: i16, b: i16| {
            let (a, b) = (rounding_divide_by_pot(a.into(), sa), rounding_divide_by_pot(b.into(), sb));
            i16::saturate(self.limits.clamp(combine(a, b)))
        })
    }
}

/// `log2(x)` if that is whole within a thousandth (`CheckedLog2`).
pub fn log2_if_power(x: f32) -> Option<i32> {
    let log = libm::logf(x) * (1.0 / core::f32::consts::LN_2);
    let rounded = libm::roundf(log);
    (log.is_finite() && (log - rounded).abs() < 1e-3).then_some(rounded as i32)
}
