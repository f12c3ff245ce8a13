//! The kernels, for any instruction set.

// Indices are constants once loops over pixels are unrolled.
#![allow(clippy::needless_range_loop)]

use super::{Column, DIGITS, Row};
use crate::requantize::Bytes;
use crate::simd::Ints;

/// The mean of four vectors of bytes, extended to 32 bits, with the weights of a pixel.
trait Mean<S: Ints, D>: Copy {
    /// The weights for distances of row and column.
    type Weights: Copy;
    fn weights(self, s: S, v: D, u: D) -> Self::Weights;
    /// The rounded mean, to which [`ZERO_POINT`](Self::ZERO_POINT) is added.
    fn mean(self, s: S, pixels: [S::I; 4], weights: Self::Weights) -> S::I;
    const ZERO_POINT: i32;
}

#[derive(Clone, Copy)]
struct Reals;

#[derive(Clone, Copy)]
struct Fixed;

impl<S: Ints> Mean<S, f32> for Reals {
    type Weights = [S::V; 4];
    const ZERO_POINT: i32 = 0;

    #[inline(always)]
    fn weights(self, s: S, v: f32, u: f32) -> [S::V; 4] {
        let [low, high] = [1.0 - v, v];
        [s.splat(low * (1.0 - u)), s.splat(low * u), s.splat(high * (1.0 - u)), s.splat(high * u)]
    }

    #[inline(always)]
    fn mean(self, s: S, pixels: [S::I; 4], weights: [S::V; 4]) -> S::I {
        let mut sum = s.mul(s.real(pixels[0]), weights[0]);
        for i in 1..4 {
            sum = s.add(sum, s.mul(s.real(pixels[i]), weights[i]));
        }
        s.round_i32(s.floor(s.add(sum, s.splat(0.5))))
    }
}

impl<S: Ints> Mean<S, i32> for Fixed {
    type Weights = [S::I; 4];
    const ZERO_POINT: i32 = 128;

    #[inline(always)]
    fn weights(self, s: S, v: i32, u: i32) -> [S::I; 4] {
        let one = 1 << DIGITS;
        let low = one - v;
        [s.splat_i32(low * (one - u)), s.splat_i32(low * u), s.splat_i32(v * (one - u)), s.splat_i32(v * u)]
    }

    #[inline(always)]
    fn mean(self, s: S, pixels: [S::I; 4], weights: [S::I; 4]) -> S::I {
        // The weights add up to 2^20, so this is the sum of signed numbers. Intermediate sums may wrap.
        let mut sum = s.splat_i32(-(128 << (2 * DIGITS)));
        for i in 0..4 {
            sum = s.add_i32(sum, s.mul_i32(pixels[i], weights[i]));
        }
        let half = s.splat_i32(1 << (2 * DIGITS - 1));
        s.shift_right(s.decrement_below(s.add_i32(sum, half), sum, 0), 2 * DIGITS)
    }
}

/// # Safety
/// The row must meet the requirements of [`super::Blend`].
#[inline(always)]
pub(super) unsafe fn reals<S: Ints>(s: S, row: &Row<f32>) {
    // SAFETY: `blend` has the requirements of this function.
    unsafe { blend(s, Reals, row) }
}

/// # Safety
/// The row must meet the requirements of [`super::Blend`].
#[inline(always)]
pub(super) unsafe fn fixed<S: Ints>(s: S, row: &Row<i32>) {
    // SAFETY: `blend` has the requirements of this function.
    unsafe { blend(s, Fixed, row) }
}

/// # Safety
/// The row must meet the requirements of [`super::Blend`].
#[inline(always)]
unsafe fn blend<S: Ints, D: Copy, M: Mean<S, D>>(s: S, mean: M, row: &Row<D>) {
    let bytes = Bytes { zero_point: M::ZERO_POINT, low: 0, high: 255, flip: 0 };
    for x in 0..row.count {
        // SAFETY: there are `count` columns. Both pixels of both rows have `n` bytes, which `i < n` does not exceed,
        // and result `x` is writable for as many.
        unsafe {
            let Column { low, high, distance } = *row.columns.add(x);
            let weights = mean.weights(s, row.distance, distance);
            let [above, below] = row.rows;
            let mut i = 0;
            while i < row.n {
                let n = S::LANES.min(row.n - i);
                let four = [
                    widened(s, above.add(low + i), n, row.end),
                    widened(s, above.add(high + i), n, row.end),
                    widened(s, below.add(low + i), n, row.end),
                    widened(s, below.add(high + i), n, row.end),
                ];
                s.narrow(&[mean.mean(s, four, weights)], &bytes, row.c.add(x * row.n + i), n);
                i += n;
            }
        }
    }
}

/// The first `n` bytes at `p`, extended to 32 bits.
///
/// # Safety
/// `n ≤ LANES` bytes must be readable at `p`, and all up to `end`.
#[inline(always)]
unsafe fn widened<S: Ints>(s: S, p: *const u8, n: usize, end: *const u8) -> S::I {
    // SAFETY: a whole vector ends before `end`, or `n` bytes are copied, at most a vector's.
    unsafe {
        if end.addr() - p.addr() >= S::LANES {
            return s.widen(p);
        }
        let mut last = [0u8; 16];
        core::ptr::copy_nonoverlapping(p, last.as_mut_ptr(), n);
        s.widen(last.as_ptr())
    }
}
