//! When sums and differences can be computed as real numbers.

use super::{Approximation, Combine};
use crate::fixed_point::Factor;

/// The largest error for which results are computed as reals: about as many numbers as twice this are too close to the
/// middle between two bytes.
const MOST_ERROR: f64 = 1.0 / 512.0;
/// Beyond this, a rounded number could be wrong.
const MOST: f64 = (1 << 20) as f64;
/// The distance between the bytes with which ties are counted.
const STEP: usize = 5;

impl Approximation {
    /// For scaled operands `(a + bias a) · factor a`, `(b + bias b) · factor b`, results `combine(a, b) · factor y +
    /// zero point`. `None` if that is neither a sum nor a difference, if errors are too large, or if many results are
    /// halves.
    ///
    /// ```text
    /// error of operands: rounded twice, at most 1½ units of the sum each; of the result: rounded twice, 3 units
    /// error of reals: 8 roundings of numbers of at most `most`
    /// ```
    pub fn new(
        combine: Combine,
        biases: [i32; 2],
        factors: [Factor; 3],
        zero_point: i32,
    ) -> Option<Approximation> {
        let signs = match combine {
            Combine::Add => [1.0, 1.0],
            Combine::Sub => [1.0, -1.0],
            Combine::SubFrom => [-1.0, 1.0],
            Combine::Mul | Combine::SquaredDifference => return None,
        };
        let unit = factors[2].real();
        let by: [f64; 2] = std::array::from_fn(|i| signs[i] * factors[i].real() * unit);
        let offset = f64::from(biases[0]) * by[0] + f64::from(biases[1]) * by[1] + f64::from(zero_point);
        let most = 255.0 * (by[0].abs() + by[1].abs()) + offset.abs();
        let error = 8.0 * unit + most / f64::from(1 << 21);
        if !(most < MOST && error < MOST_ERROR) || has_halves(by, offset, error) {
            return None;
        }
        Some(Approximation {
            factors: by.map(|by| by as f32),
            offset: offset as f32,
            limit: (0.5 - error) as f32,
        })
    }
}

/// Whether more results than one in 128 are halves.
fn has_halves(by: [f64; 2], offset: f64, error: f64) -> bool {
    let (mut halves, mut all) = (0, 0);
    for a in (0..256).step_by(STEP) {
        for b in (0..256).step_by(STEP) {
            let real = a as f64 * by[0] + b as f64 * by[1] + offset;
            let from_floor = real - (real as i64) as f64;
            halves += usize::from((from_floor.abs() - 0.5).abs() <= error);
            all += 1;
        }
    }
    halves * 128 > all
}
