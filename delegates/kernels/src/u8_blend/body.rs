//! The kernels, for any instruction set.

// Indices are constants once loops over pixels are unrolled.
#![allow(clippy::needless_range_loop)]

use core::mem::MaybeUninit;
use core::ops::Range;

use super::DIGITS;
use crate::blend::{Column, Row};
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

/// The most sums of a tile, and the most bytes of the pixels around it.
const ROOM: usize = 1024;

/// Blends each pair of rows once, then the columns, in plain loops that the compiler vectorizes. The sums equal those
/// of [`fixed`] modulo 2³², so the results are the same.
///
/// # Safety
/// The row must meet the requirements of [`super::Blend`].
#[inline(always)]
pub(super) unsafe fn fixed_by_rows<S: Ints>(s: S, row: &Row<i32>) {
    let (mut between, mut sums) =
        ([const { MaybeUninit::uninit() }; ROOM], [const { MaybeUninit::uninit() }; ROOM]);
    // SAFETY: there are `count` columns.
    let columns = unsafe { core::slice::from_raw_parts(row.columns, row.count) };
    let mut first = 0;
    while first < row.count {
        let (pixels, count) = tile(&columns[first..], row.n);
        if count == 0 {
            // SAFETY: the caller's guarantee, for the rest of the columns.
            return unsafe { rest(s, row, first) };
        }
        let (len, columns) = (pixels.len(), &columns[first..first + count]);
        // SAFETY: both pixels of each column have `n` bytes in both rows, and `pixels` is between the first and the
        // last of these. The results of the columns are writable.
        unsafe {
            let rows = row.rows.map(|from| core::slice::from_raw_parts(from.add(pixels.start), len));
            let between = down(rows, row.distance, &mut between[..len]);
            let sums = along(between, pixels.start, columns, row.n, &mut sums[..count * row.n]);
            let results = core::slice::from_raw_parts_mut(row.c.add(first * row.n), sums.len());
            results.iter_mut().zip(sums).for_each(|(y, &sum)| *y = rounded(sum));
        }
        first += count;
    }
}

/// The bytes that the first columns read, and how many columns have room; 0 if none has.
#[inline(always)]
fn tile(columns: &[Column<i32>], n: usize) -> (Range<usize>, usize) {
    let ((mut start, mut end), most) = ((usize::MAX, 0), columns.len().min(ROOM / n.max(1)));
    for (x, column) in columns[..most].iter().enumerate() {
        let (first, last) =
            (start.min(column.low).min(column.high), end.max(column.low.max(column.high) + n));
        if last - first > ROOM {
            return (start..end, x);
        }
        (start, end) = (first, last);
    }
    (start..end, most)
}

/// The columns from `first` on, pixel by pixel.
///
/// # Safety
/// As for [`fixed_by_rows`].
#[inline(always)]
unsafe fn rest<S: Ints>(s: S, row: &Row<i32>, first: usize) {
    // SAFETY: these are columns of the row, and their results.
    unsafe {
        let (columns, c) = (row.columns.add(first), row.c.add(first * row.n));
        blend(s, Fixed, &Row { columns, count: row.count - first, c, ..*row });
    }
}

/// Means of two rows of bytes, with [`DIGITS`] digits.
#[inline(always)]
fn down<'m>([above, below]: [&[u8]; 2], v: i32, to: &'m mut [MaybeUninit<i32>]) -> &'m [i32] {
    for ((to, &a), &b) in to.iter_mut().zip(above).zip(below) {
        let (a, b) = (i32::from(a), i32::from(b));
        to.write((a << DIGITS) + (b - a) * v);
    }
    // SAFETY: the loop wrote all elements: rows have as many.
    unsafe { to.assume_init_ref() }
}

/// Means of the pixels on the left and on the right of each column, with twice as many digits. The bytes begin with
/// number `start`.
#[inline(always)]
fn along<'m>(
    between: &[i32],
    start: usize,
    columns: &[Column<i32>],
    n: usize,
    to: &'m mut [MaybeUninit<i32>],
) -> &'m [i32] {
    for (&Column { low, high, distance }, to) in columns.iter().zip(to.chunks_exact_mut(n)) {
        let (left, right) = (&between[low - start..][..n], &between[high - start..][..n]);
        for ((to, &a), &b) in to.iter_mut().zip(left).zip(right) {
            to.write((a << DIGITS).wrapping_add(b.wrapping_sub(a).wrapping_mul(distance)));
        }
    }
    // SAFETY: the loops wrote all elements: there are `n` for each column.
    unsafe { to.assume_init_ref() }
}

/// The rounded mean, half away from 128.
#[inline(always)]
fn rounded(sum: i32) -> u8 {
    let sum = sum.wrapping_sub(128 << (2 * DIGITS));
    let half = (1 << (2 * DIGITS - 1)) - i32::from(sum < 0);
    ((sum.wrapping_add(half) >> (2 * DIGITS)) + 128).clamp(0, 255) as u8
}
