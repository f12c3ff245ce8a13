//! Pairs of quantized numbers that are converted to a common scale, combined, and converted to the output's scale.
//!
//! ```text
//! a' = (a - za) 2^shift × sa / (2 max(sa, sb))      b' likewise
//! y  = clamp(combine(a', b') × output + zy)
//! ```
//! Defined by: tflite/kernels/{add,sub,squared_difference}.cc and reference/{add,sub}.h.

use arenite_abi::prelude::*;

use super::activation::{Activation, Limits};
use super::binary::{self, Operands};
use super::broadcast::Broadcast;
use super::indexing::Dims;
use super::node::{multiplier, quant, quantized_range, symmetric, type_limits};
use super::quantized::Quantized;
use super::requantize::{
    Multiplier, rounding_divide_by_pot, saturating_rounding_doubling_high_mul as high_mul,
};

plain! {
    /// Everything that does not depend on data.
    #[derive(Clone, Copy)]
    pub struct ScaledPair {
        zero_points: [i32; 2],
        left_shift: u32,
        inputs: [Multiplier; 2],
        output: Multiplier,
        output_zero_point: i32,
        limits: Limits<i32>,
        groups: Groups,
    }
}

impl ScaledPair {
    /// For combinations whose result has the unit of its arguments: sums and differences. `2^left_shift` preserves
    /// digits that rounding would lose; the sum must still fit 32 bits.
    ///
    /// # Errors
    /// A tensor is not quantized, or a zero point or a ratio of scales is out of range.
    pub fn linear(operands: &Operands<'_>, left_shift: u32, limits: Limits<i32>) -> Result<Self> {
        Self::new(operands, left_shift, limits, |twice_max, output| {
            f64::from(twice_max) / f64::from((1u32 << left_shift) as f32 * output)
        })
    }

    /// For combinations whose result has the square of the unit.
    ///
    /// # Errors
    /// The errors of [`linear`](Self::linear).
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
                "{x} has zero point {}, which {} does not hold",
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
            groups: Groups::NONE,
        })
    }

    /// The same pair, with the rounding of SIMD code for the elements in `groups`.
    pub fn in_groups(self, groups: Groups) -> Self {
        ScaledPair { groups, ..self }
    }

    /// The quantized result for element `i` of the output.
    #[inline]
    fn apply(&self, i: usize, a: i32, b: i32, combine: impl Fn(i32, i32) -> i32) -> i32 {
        let rounding = self.groups.rounding_of(i);
        let [a, b] = [(a, 0), (b, 1)].map(|(x, k)| {
            let x = x.wrapping_sub(self.zero_points[k]);
            scale_input(x, self.left_shift, self.inputs[k], rounding)
        });
        let scaled = self.output.apply(combine(a, b));
        self.limits.clamp(scaled.wrapping_add(self.output_zero_point))
    }

    /// Computes all elements of tensors of type `T`.
    ///
    /// # Errors
    /// As [`binary::map_indexed`].
    pub fn map<T: Quantized>(
        &self,
        cx: &EvalContext<'_>,
        broadcast: &Broadcast<2>,
        combine: impl Fn(i32, i32) -> i32,
    ) -> Result<()> {
        binary::map_indexed(cx, broadcast, |i, a: T, b: T| {
            T::saturate(self.apply(i, a.into(), b.into(), &combine))
        })
    }
}

plain! {
    /// The rounding when an input is converted to the common scale, `x × 2^left_shift × m × 2^shift` with `shift <= 0`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum InputRounding {
        /// Rounds after the multiplication and after the shift.
        Twice,
        /// Applies both shifts first, so that it rounds only once.
        Once,
        /// Rounds after the multiplication; the shift rounds down.
        OnceThenDown,
    }
}

#[inline]
fn scale_input(x: i32, left_shift: u32, multiplier: Multiplier, rounding: InputRounding) -> i32 {
    let Multiplier { value, shift } = multiplier;
    let right_shift = shift.min(0).unsigned_abs();
    match rounding {
        InputRounding::Once if right_shift <= left_shift => {
            high_mul(x.wrapping_mul(1 << (left_shift - right_shift)), value)
        }
        InputRounding::OnceThenDown if shift <= 0 => {
            high_mul(x.wrapping_mul(1 << left_shift), value) >> right_shift.min(31)
        }
        _ => multiplier.apply(x.wrapping_mul(1 << left_shift)),
    }
}

plain! {
    /// The elements that TFLite's SIMD kernels process, which round differently from its scalar code. The output
    /// consists of runs; in each of them SIMD code processes the whole groups:
    ///
    /// ```text
    /// |<----------- run ------------>|<----------- run ------------>|
    /// | group | group | group | rest | group | group | group | rest |
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Groups {
        run: usize,
        /// The number of elements of a run that are in whole groups.
        grouped: usize,
        rounding: InputRounding,
    }
}

impl Groups {
    /// Scalar code for all elements.
    pub const NONE: Groups = Groups { run: 1, grouped: 0, rounding: InputRounding::Twice };

    /// Runs of `run` elements with groups of `group`.
    pub fn new(run: usize, group: usize, rounding: InputRounding) -> Self {
        let (run, group) = (run.max(1), group.max(1));
        Groups { run, grouped: run - run % group, rounding }
    }

    #[inline]
    fn rounding_of(&self, i: usize) -> InputRounding {
        if self.grouped > i % self.run { self.rounding } else { InputRounding::Twice }
    }
}

/// The elements that one run of TFLite's broadcasting loops covers (`ProcessBroadcastShapes`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Run {
    /// All elements: the shapes are equal.
    Whole(usize),
    /// The trailing axes, which are equal in both inputs.
    Elementwise(usize),
    /// The trailing axes of one input, where the other has a single element.
    AgainstScalar(usize),
    /// The shapes do not match TFLite's loops.
    General,
}

impl Run {
    /// The run for inputs that broadcast. Starting from the last axis, TFLite's loops accept: equal sizes (`y4`), then
    /// ones in the first input (`y3`), equal sizes, ones in the second, equal sizes. Anything else is general.
    pub fn new(a: &Dims, b: &Dims) -> Run {
        let rank = a.rank().max(b.rank());
        let (Some(a), Some(b)) = (a.extended(rank), b.extended(rank)) else { return Run::General };
        if a == b {
            return Run::Whole(a.flat_size());
        }
        let mut sizes = (0..rank).rev().map(|axis| (a.size(axis), b.size(axis)));
        let first_broadcasts = sizes.clone().find(|(a, b)| a != b).is_some_and(|(a, _)| a == 1);
        let mut rest = core::array::from_fn::<_, 8, _>(|_| {
            sizes.next().map(|(a, b)| if first_broadcasts { (a, b) } else { (b, a) })
        })
        .into_iter()
        .flatten()
        .peekable();
        let mut take = |accept: fn(&(usize, usize)) -> bool| {
            let mut product = 1;
            while let Some((_, b)) = rest.next_if(accept) {
                product *= b;
            }
            product
        };
        let inner = take(|(a, b)| a == b);
        let broadcast = take(|(a, _)| *a == 1);
        take(|(a, b)| a == b);
        take(|(_, b)| *b == 1);
        take(|(a, b)| a == b);
        match (rest.next(), inner) {
            (Some(_), _) => Run::General,
            (None, ..=1) => Run::AgainstScalar(broadcast),
            (None, inner) => Run::Elementwise(inner),
        }
    }
}

plain! {
    /// Two symmetric 16-bit inputs whose scales are powers of two: one has the output's scale, the other a finer one,
    /// which is divided.
    #[derive(Clone, Copy)]
    pub struct PowerOfTwoPair {
        right_shifts: [u32; 2],
        limits: Limits<i32>,
    }
}

impl PowerOfTwoPair {
    /// `None` if a scale is not a power of two.
    ///
    /// # Errors
    /// A tensor is not quantized, its zero point is not 0, or no input has the output's scale.
    pub fn new(operands: &Operands<'_>, limits: Limits<i32>) -> Result<Option<Self>> {
        let Operands { a, b, y, .. } = operands;
        let logs = [a, b, y].map(|x| quant(x).map(|q| log2_if_power(q.scale)));
        let [Some(la), Some(lb), Some(ly)] = [logs[0]?, logs[1]?, logs[2]?] else { return Ok(None) };
        let shifts = [ly - la, ly - lb];
        ensure!(
            shifts.contains(&0) && shifts.iter().all(|s| (0..=31).contains(s)),
            "scales of {a}, {b} and {y} are 2^{la}, 2^{lb} and 2^{ly}; one input must have the output's scale, the \
             other must not have a larger one"
        );
        Ok(Some(PowerOfTwoPair { right_shifts: shifts.map(|s| s as u32), limits }))
    }

    /// Computes all elements of 16-bit tensors.
    ///
    /// # Errors
    /// As [`binary::map_indexed`].
    pub fn map(
        &self,
        cx: &EvalContext<'_>,
        broadcast: &Broadcast<2>,
        combine: impl Fn(i32, i32) -> i32,
    ) -> Result<()> {
        let [sa, sb] = self.right_shifts;
        binary::map(cx, broadcast, |a: i16, b: i16| {
            let (a, b) = (rounding_divide_by_pot(a.into(), sa), rounding_divide_by_pot(b.into(), sb));
            i16::saturate(self.limits.clamp(combine(a, b)))
        })
    }
}

plain! {
    /// The kernel of a quantized sum or difference, for ADD and SUB.
    pub enum QuantizedSum {
        /// Any scales.
        Scaled(ScaledPair),
        /// i16 with scales that are powers of two.
        PowerOfTwo(PowerOfTwoPair),
    }
}

impl QuantizedSum {
    /// For operands of i8, u8 or i16. `pot_scale_int16` is the value of the option with that name.
    ///
    /// # Errors
    /// A tensor is not quantized, or its scale or zero point is out of range.
    pub fn new(
        operands: &Operands<'_>,
        pot_scale_int16: bool,
        activation: Activation,
        groups: Groups,
    ) -> Result<Self> {
        let Operands { a, b, y, .. } = operands;
        let limits = quantized_range(activation, y)?;
        if y.ty != I16 {
            return Ok(Self::Scaled(ScaledPair::linear(operands, 20, limits)?.in_groups(groups)));
        }
        [a, b, y].into_iter().try_for_each(symmetric)?;
        let power_of_two = match pot_scale_int16 {
            true => PowerOfTwoPair::new(operands, limits)?,
            false => None,
        };
        Ok(match power_of_two {
            Some(pair) => Self::PowerOfTwo(pair),
            None => Self::Scaled(ScaledPair::linear(operands, 15, limits)?.in_groups(groups)),
        })
    }

    /// Computes all elements of an output of type `ty`; `combine` adds or subtracts.
    ///
    /// # Errors
    /// As [`binary::map_indexed`].
    pub fn map(
        &self,
        cx: &EvalContext<'_>,
        ty: ElementType,
        broadcast: &Broadcast<2>,
        combine: impl Fn(i32, i32) -> i32,
    ) -> Result<()> {
        match (self, ty) {
            (Self::Scaled(pair), I8) => pair.map::<i8>(cx, broadcast, combine),
            (Self::Scaled(pair), U8) => pair.map::<u8>(cx, broadcast, combine),
            (Self::Scaled(pair), _) => pair.map::<i16>(cx, broadcast, combine),
            (Self::PowerOfTwo(pair), _) => pair.map(cx, broadcast, combine),
        }
    }
}

/// Returns `log2(x)` if it is within a thousandth of an integer (`CheckedLog2`).
pub fn log2_if_power(x: f32) -> Option<i32> {
    let log = libm::logf(x) * (1.0 / core::f32::consts::LN_2);
    let rounded = libm::roundf(log);
    (log.is_finite() && (log - rounded).abs() < 1e-3).then_some(rounded as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_the_shapes() {
        let run = |a: &[i32], b: &[i32]| Run::new(&Dims::new(a).unwrap(), &Dims::new(b).unwrap());
        assert_eq!(run(&[2, 3], &[2, 3]), Run::Whole(6));
        assert_eq!(run(&[3], &[1, 3]), Run::Whole(3));
        assert_eq!(run(&[4, 2, 3], &[2, 3]), Run::Elementwise(6));
        assert_eq!(run(&[1], &[4, 5]), Run::AgainstScalar(20));
        assert_eq!(run(&[4, 5], &[]), Run::AgainstScalar(20));
        assert_eq!(run(&[2, 4, 1], &[2, 1, 5]), Run::AgainstScalar(5));
        assert_eq!(run(&[2, 1, 2, 1, 3], &[1, 2, 1, 2, 3]), Run::General);
    }

    #[test]
    fn roundings_differ_where_they_should() {
        // x × 2^2 × 0.75 × 2^-1: -1 gives -1.5, 3 gives 4.5.
        let m = Multiplier { value: 3 << 29, shift: -1 };
        let all = |x| {
            [InputRounding::Twice, InputRounding::Once, InputRounding::OnceThenDown]
                .map(|r| scale_input(x, 2, m, r))
        };
        assert_eq!((all(-1), all(3)), ([-2, -1, -2], [5, 5, 4]));
    }

    #[test]
    fn groups_end_inside_each_run() {
        let groups = Groups::new(10, 4, InputRounding::Once);
        let simd: Vec<usize> = (0..20).filter(|&i| groups.rounding_of(i) == InputRounding::Once).collect();
        assert_eq!(simd, [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17]);
        assert_eq!(Groups::NONE.rounding_of(0), InputRounding::Twice);
    }
}
