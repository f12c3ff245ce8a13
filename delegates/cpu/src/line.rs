//! Functions of a byte as straight lines.
//!
//! Scaling in fixed point rounds more than once, so results are only close to the floor of a line. But a function of a
//! byte has just 256 values, and often a line exists whose floor equals all of them:
//!
//! ```text
//! f(x) = clamp(⌊((x − zero) · slope + offset) / 2^shift⌋)
//!     ⇔  f(x) · 2^shift ≤ (x − zero) · slope + offset < (f(x) + 1) · 2^shift      one-sided where f(x) is clamped
//! ```
//! For a given slope these are bounds of the offset. If a rounding depends on the sign of `x − zero`, negative values
//! have other bounds, and then their own offset.

/// A line that gives all values of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineFit {
    /// The increase from one byte to the next.
    pub slope: i32,
    /// Where `x` is `zero`.
    pub offset: i32,
    /// Taken from the offset where `x` is below.
    pub drop: i32,
}

/// The most fraction bits for lines of this steepness that fit 32 bits. `None` if they are too few to distinguish
/// bytes.
pub(crate) fn shift(steepest: f64) -> Option<u32> {
    let most = f64::from(i32::MAX) / (256.0 + 512.0 * steepest.abs());
    (12..=22).rev().find(|&shift| f64::from(1u32 << shift) <= most)
}

/// The bytes that results are clamped to.
#[derive(Clone, Copy)]
pub(crate) struct ByteLimits {
    pub(crate) low: u8,
    pub(crate) high: u8,
}

/// The smallest and the largest offset of a line. `i32::MIN` and `i32::MAX` mean unbounded.
struct OffsetBounds {
    least: i32,
    most: i32,
}

/// The line of about this slope that gives `values`, clamped to `limits`. `None` if no line does.
pub(crate) fn fit(
    values: &[u8; 256],
    zero: u8,
    slope: f64,
    shift: u32,
    limits: ByteLimits,
) -> Option<LineFit> {
    let nearest = (slope * f64::from(1u32 << shift)).round() as i32;
    [nearest, nearest - 1, nearest + 1].into_iter().find_map(|slope| {
        let (below, above) = values.split_at(zero.into());
        let [below, above] = [(below, -i32::from(zero)), (above, 0)]
            .map(|(values, first)| bounds(values, first, slope, shift, limits));
        let (least, most) = (below.least.max(above.least), below.most.min(above.most));
        if let Some(offset) = (OffsetBounds { least, most }).middle() {
            return Some(LineFit { slope, offset, drop: 0 });
        }
        let offset = above.middle()?;
        Some(LineFit { slope, offset, drop: offset - below.middle()? })
    })
}

/// The bounds of the offset for values of `first‥`.
fn bounds(values: &[u8], first: i32, slope: i32, shift: u32, limits: ByteLimits) -> OffsetBounds {
    let (mut least, mut most) = (i32::MIN, i32::MAX);
    for (x, &y) in (first..).zip(values) {
        let start = (i32::from(y) << shift) - x * slope;
        least = least.max(if y == limits.low { i32::MIN } else { start });
        most = most.min(if y == limits.high { i32::MAX } else { start + ((1 << shift) - 1) });
    }
    OffsetBounds { least, most }
}

impl OffsetBounds {
    /// A number between the bounds.
    fn middle(&self) -> Option<i32> {
        match (self.least, self.most) {
            (i32::MIN, i32::MAX) => Some(0),
            (i32::MIN, most) => Some(most),
            (least, i32::MAX) => Some(least),
            (least, most) => (least <= most).then(|| least + (most - least) / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixed_point::{Multiplier, Ties};

    proptest! {
        /// Whatever is found gives all values, and lines are found for most factors.
        #[test]
        fn lines_give_all_values(zero: u8, points in 0u8..255, by in -255i32..256, real in 1e-4..0.02f64) {
            let factor = Multiplier::from_real(real).unwrap().factor(Ties::Away);
            let (low, high) = (points / 2, 255 - points / 3);
            let clamped = |y: i32| (y + i32::from(points)).clamp(low.into(), high.into()) as u8;
            let values: [u8; 256] =
                std::array::from_fn(|x| clamped(factor.apply((x as i32 - i32::from(zero)) * by)));
            let slope = f64::from(by) * real;
            let shift = shift(slope).unwrap();
            let Some(fit) = fit(&values, zero, slope, shift, ByteLimits { low, high }) else {
                return Err(TestCaseError::reject("no line"));
            };
            for (x, &want) in (-i32::from(zero)..).zip(&values) {
                let sum = x * fit.slope + fit.offset - if x < 0 { fit.drop } else { 0 };
                prop_assert_eq!((sum >> shift).clamp(low.into(), high.into()), i32::from(want), "{}", x);
            }
        }
    }

    #[test]
    fn no_line_goes_through_a_curve() {
        let square = std::array::from_fn(|x| (x * x / 255) as u8);
        assert_eq!(fit(&square, 0, 1.0, shift(1.0).unwrap(), ByteLimits { low: 0, high: 255 }), None);
        assert_eq!(shift(1e4), None);
    }
}
