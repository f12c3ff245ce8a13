//! Plain loops, which the compiler makes vectors of.

use super::Rows;
use crate::simd::Simd;

/// Elements that are folded together.
const PART: usize = 512;
/// Rows whose sums fit 16 bits.
const ROWS: usize = 256;

/// # Safety
/// That of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn add_rows<S: Simd>(_: S, rows: &Rows, sums: *mut i32) {
    for from in (0..rows.n).step_by(PART) {
        let n = PART.min(rows.n - from);
        for first in (0..rows.count).step_by(ROWS) {
            let mut narrow = [0u16; PART];
            let count = ROWS.min(rows.count - first);
            for r in (first..first + count).step_by(4) {
                // Behind the last row it is repeated, with a factor of 0.
                let (row, last) =
                    (|r: usize| rows.from.wrapping_add(r * rows.step + from), first + count - 1);
                let four = [r, r + 1, r + 2, r + 3].map(|r| row(r.min(last)));
                let uses = [r, r + 1, r + 2, r + 3].map(|r| u16::from(r <= last));
                // SAFETY: `row` gives element `from` of a row up to `last`, of which `n` more are readable: `n <= rows.n - from`.
                let four = four.map(|row| unsafe { std::slice::from_raw_parts(row, n) });
                for (i, sum) in narrow[..n].iter_mut().enumerate() {
                    let x = |k: usize| u16::from(four[k][i]) * uses[k];
                    *sum = sum.wrapping_add(x(0) + x(1)).wrapping_add(x(2) + x(3));
                }
            }
            // SAFETY: `n` sums are writable.
            let sums = unsafe { std::slice::from_raw_parts_mut(sums.add(from), n) };
            sums.iter_mut().zip(&narrow).for_each(|(sum, &x)| *sum = sum.wrapping_add(x.into()));
        }
    }
}

/// # Safety
/// That of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn raise_rows<S: Simd>(_: S, rows: &Rows, y: *mut u8) {
    // SAFETY: `y` has `n` bytes, which nobody else touches.
    let y = unsafe { std::slice::from_raw_parts_mut(y, rows.n) };
    for r in 0..rows.count {
        // SAFETY: row `r < rows.count` has `n` readable bytes; `Fold`'s contract counts `count` rows of `n` bytes, `step` apart.
        let x = unsafe { std::slice::from_raw_parts(rows.from.add(r * rows.step), rows.n) };
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = x.max(*y));
    }
}

/// # Safety
/// That of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn sum<S: Simd>(_: S, n: usize, x: *const u8) -> i32 {
    // SAFETY: `x` has `n` bytes.
    unsafe { std::slice::from_raw_parts(x, n) }.iter().map(|&x| i32::from(x)).sum()
}

/// # Safety
/// That of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn largest<S: Simd>(_: S, n: usize, x: *const u8) -> u8 {
    // SAFETY: `x` has `n` bytes.
    unsafe { std::slice::from_raw_parts(x, n) }.iter().fold(0, |most, &x| most.max(x))
}
