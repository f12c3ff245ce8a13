//! The functions. They have no branches where loops over them can become vectors.

use super::sigmoid::Curve;
use crate::fixed_point::q15::{self, IntegerBits};

/// The number of [`Function::Lines`].
pub const LINES: usize = 512;

/// A function.
#[derive(Clone, Debug)]
pub enum Function {
    /// Straight lines: the first value in the lower half, the difference to the next line's in the upper half.
    Lines(Box<[i32; LINES]>),
    /// By a curve.
    Curve(Box<Curve>),
    /// LOGISTIC of numbers with 12 fraction bits.
    Logistic,
    /// TANH of numbers with 12 fraction bits, or half of these numbers.
    Tanh {
        /// Whether numbers are doubled first.
        doubles: bool,
    },
}

impl Function {
    /// A function of reals, for these scales. Values are moved by half the error that the line to the next one has in
    /// the middle.
    pub fn of_reals(f: impl Fn(f32) -> f32, from: f32, to: f32) -> Function {
        let [least, most] = [i16::MIN, i16::MAX].map(f32::from);
        let first = from * least;
        let step = (from * most - first) / LINES as f32;
        let by = 65536.0 / (to * most - to * least);
        let clamped = |x: f32| x.clamp(least, most) as i16;
        let value = |i: usize| {
            if i == LINES {
                return clamped((f(from * most) * by).round());
            }
            let x = first + i as f32 * step;
            let (here, middle) = ((f(x) * by).round(), f(x + step / 2.0));
            let next = f(first + (i + 1) as f32 * step);
            let error = ((next * by + here) / 2.0).round() - (middle * by).round();
            clamped(here - (error / 2.0).round())
        };
        let mut here = value(0);
        let line = |i| {
            let base = std::mem::replace(&mut here, value(i + 1));
            i32::from(base as u16) | i32::from(here.wrapping_sub(base)) << 16
        };
        Function::Lines(Box::new(std::array::from_fn(line)))
    }

    /// The function of one number.
    #[inline(always)]
    pub fn of(&self, x: i16) -> i16 {
        match self {
            Function::Lines(lines) => interpolated(x, lines),
            Function::Curve(curve) => curve.of(x),
            Function::Logistic => logistic(x),
            Function::Tanh { doubles } => tanh(x, *doubles),
        }
    }
}

/// The value for `x`, on the line between two entries.
#[inline(always)]
pub(super) fn interpolated(x: i16, lines: &[i32; LINES]) -> i16 {
    let line = lines[((x as u16 ^ 0x8000) >> 7) as usize];
    let (base, slope) = (i32::from(line as i16), line >> 16);
    ((128 * base + slope * i32::from(x & 0x7f) + 64) >> 7) as i16
}

#[inline(always)]
pub(super) fn logistic(x: i16) -> i16 {
    q15::logistic(x)
}

#[inline(always)]
pub(super) fn tanh(x: i16, doubles: bool) -> i16 {
    const BITS: IntegerBits = IntegerBits::new(4);
    q15::tanh(if doubles { x.saturating_add(x) } else { x }, &BITS)
}
