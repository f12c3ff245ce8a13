//! Plain loops, which the compiler vectorizes.

use super::ByteRows;
use crate::simd::Simd;

/// The number of elements that are folded together.
const PART: usize = 512;
/// The number of rows whose sums fit in 16 bits.
const ROWS: usize = 256;

/// # Safety
/// The arguments must meet the requirements of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn add_rows<S: Simd>(_: S, rows: &ByteRows, sums: *mut i32) {
    for from in (0..rows.n).step_by(PART) {
        let n = PART.min(rows.n - from);
        for first in (0..rows.count).step_by(ROWS) {
            let mut narrow = [0u16; PART];
            let count = ROWS.min(rows.count - first);
            for r in (first..first + count).step_by(4) {
                // After the last row, that row is repeated with a factor of 0.
                let (row, last) =
                    (|r: usize| rows.from.wrapping_add(r * rows.step + from), first + count - 1);
                let four = [r, r + 1, r + 2, r + 3].map(|r| row(r.min(last)));
                let uses = [r, r + 1, r + 2, r + 3].map(|r| u16::from(r <= last));
                // SAFETY: `row` points to element `from` of a row up to `last`, and `n ≤ rows.n − from` elements
                // follow, as `Fold` requires.
                let four = four.map(|row| unsafe { std::slice::from_raw_parts(row, n) });
                for (i, sum) in narrow[..n].iter_mut().enumerate() {
                    let x = |k: usize| u16::from(four[k][i]) * uses[k];
                    *sum = sum.wrapping_add(x(0) + x(1)).wrapping_add(x(2) + x(3));
                }
            }
            // SAFETY: `n` sums are writable from `from`, as `Fold` requires.
            let sums = unsafe { std::slice::from_raw_parts_mut(sums.add(from), n) };
            sums.iter_mut().zip(&narrow).for_each(|(sum, &x)| *sum = sum.wrapping_add(x.into()));
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn raise_rows<S: Simd>(_: S, rows: &ByteRows, y: *mut u8) {
    // SAFETY: `y` has `n` writable bytes that nothing else uses, as `Fold` requires.
    let y = unsafe { std::slice::from_raw_parts_mut(y, rows.n) };
    for r in 0..rows.count {
        // SAFETY: there are `count` rows of `n` readable bytes, `step` apart, as `Fold` requires, and `r < rows.count`.
        let x = unsafe { std::slice::from_raw_parts(rows.from.add(r * rows.step), rows.n) };
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = x.max(*y));
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn sum<S: Simd>(_: S, n: usize, x: *const u8) -> i32 {
    // SAFETY: `x` has `n` readable bytes, as `Fold` requires.
    unsafe { std::slice::from_raw_parts(x, n) }.iter().map(|&x| i32::from(x)).sum()
}

/// # Safety
/// The arguments must meet the requirements of [`super::Fold`].
#[inline(always)]
pub(super) unsafe fn largest<S: Simd>(_: S, n: usize, x: *const u8) -> u8 {
    // SAFETY: `x` has `n` readable bytes, as `Fold` requires.
    unsafe { std::slice::from_raw_parts(x, n) }.iter().fold(0, |most, &x| most.max(x))
}
