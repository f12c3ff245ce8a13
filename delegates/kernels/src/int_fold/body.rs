//! Plain loops, which the compiler vectorizes.

use core::ops::BitXor;

use super::RowBlock;
use crate::simd::Simd;

/// The number of elements that are folded together.
const PART: usize = 512;
/// The number of rows whose sums of bytes fit in 16 bits.
const ROWS: usize = 256;
/// The number of elements of a long row that become one vector, or a few.
const WIDE: usize = 32;
/// The same for a short row.
const NARROW: usize = 8;
/// The length from which the sum of a row is computed in vectors; the sums of shorter rows are added chunk by chunk.
const LONG: usize = 4 * WIDE;

/// A whole number.
pub(super) trait Whole: Copy + Ord + BitXor<Output = Self> + Into<i32> {
    /// The least number.
    const LEAST: Self;
}

impl Whole for u8 {
    const LEAST: u8 = u8::MIN;
}

impl Whole for i16 {
    const LEAST: i16 = i16::MIN;
}

/// The elements of row `r` from `first` on, up to `n`.
///
/// # Safety
/// The rows must be readable, `r < rows.count` and `first + n ≤ rows.n`.
#[inline(always)]
unsafe fn part<T: Whole>(rows: &RowBlock<T>, r: usize, first: usize, n: usize) -> &[T] {
    // SAFETY: the elements are within row `r`, as the caller guarantees.
    unsafe { core::slice::from_raw_parts(rows.from.add(r * rows.step + first), n) }
}

/// The largest of at least `L` elements after XOR. The last chunk overlaps the one before it: an element may count
/// twice.
#[inline(always)]
fn largest<T: Whole, const L: usize>(row: &[T], flip: T) -> T {
    let (chunks, rest) = row.as_chunks::<L>();
    let mut most = [T::LEAST; L];
    let last = if rest.is_empty() { None } else { row.last_chunk::<L>() };
    for chunk in chunks.iter().chain(last) {
        most.iter_mut().zip(chunk).for_each(|(most, &x)| *most = (*most).max(x ^ flip));
    }
    most.iter().fold(T::LEAST, |most, &x| most.max(x))
}

/// # Safety
/// The arguments must meet the requirements of [`super::RowFolds`].
#[inline(always)]
pub(super) unsafe fn row_extremes<S, T: Whole>(_: S, rows: &RowBlock<T>, y: *mut T) {
    for r in 0..rows.count {
        // SAFETY: there are `count` rows of `n` readable elements, as `RowFolds` requires.
        let row = unsafe { part(rows, r, 0, rows.n) };
        let most = match rows.n {
            WIDE.. => largest::<T, WIDE>(row, rows.flip),
            NARROW.. => largest::<T, NARROW>(row, rows.flip),
            _ => row.iter().fold(T::LEAST, |most, &x| most.max(x ^ rows.flip)),
        };
        // SAFETY: there is a result for each row, as `RowFolds` requires.
        unsafe { y.add(r).write(most ^ rows.flip) };
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::RowFolds`].
#[inline(always)]
pub(super) unsafe fn column_extremes<S, T: Whole>(_: S, rows: &RowBlock<T>, y: *mut T) {
    for from in (0..rows.n).step_by(PART) {
        let n = PART.min(rows.n - from);
        let mut most = [T::LEAST; PART];
        for r in 0..rows.count {
            // SAFETY: there are `count` rows of `n` readable elements, as `RowFolds` requires.
            let row = unsafe { part(rows, r, from, n) };
            most.iter_mut().zip(row).for_each(|(most, &x)| *most = (*most).max(x ^ rows.flip));
        }
        // SAFETY: `n` results are writable from `from`, as `RowFolds` requires.
        let y = unsafe { core::slice::from_raw_parts_mut(y.add(from), n) };
        y.iter_mut().zip(&most).for_each(|(y, &most)| *y = most ^ rows.flip);
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::RowFolds`].
#[inline(always)]
pub(super) unsafe fn row_sums<S, T: Whole>(_: S, rows: &RowBlock<T>, y: *mut i32) {
    let add = |sum: i32, x: T| sum.wrapping_add((x ^ rows.flip).into());
    for r in 0..rows.count {
        // SAFETY: there are `count` rows of `n` readable elements, as `RowFolds` requires.
        let row = unsafe { part(rows, r, 0, rows.n) };
        let sum = if rows.n < LONG {
            let (chunks, rest) = row.as_chunks::<WIDE>();
            let wide = chunks
                .iter()
                .fold(0, |sum: i32, chunk| sum.wrapping_add(chunk.iter().fold(0, |sum, &x| add(sum, x))));
            rest.iter().fold(wide, |sum, &x| add(sum, x))
        } else {
            row.iter().fold(0, |sum, &x| add(sum, x))
        };
        // SAFETY: there is a result for each row, as `RowFolds` requires.
        unsafe { y.add(r).write(sum) };
    }
}

/// Adds bytes in 16 bits first.
///
/// # Safety
/// The arguments must meet the requirements of [`super::RowFolds`].
#[inline(always)]
pub(super) unsafe fn add_byte_rows<S: Simd>(_: S, rows: &RowBlock<u8>, sums: *mut i32) {
    for from in (0..rows.n).step_by(PART) {
        let n = PART.min(rows.n - from);
        for first in (0..rows.count).step_by(ROWS) {
            let mut narrow = [0u16; PART];
            let count = ROWS.min(rows.count - first);
            let (fours, flip) = (count / 4 * 4, rows.flip);
            // SAFETY: rows `first..first + count` have `n` readable elements from `from` on, as `RowFolds` requires.
            let row = |r: usize| unsafe { part(rows, first + r, from, n) };
            for r in (0..fours).step_by(4) {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| row(r + k));
                for ((((sum, &a), &b), &c), &d) in narrow.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    let [a, b, c, d] = [a, b, c, d].map(|x| u16::from(x ^ flip));
                    *sum = sum.wrapping_add(a + b + c + d);
                }
            }
            for r in fours..count {
                narrow.iter_mut().zip(row(r)).for_each(|(sum, &x)| *sum += u16::from(x ^ flip));
            }
            // SAFETY: `n` sums are writable from `from`, as `RowFolds` requires.
            let sums = unsafe { core::slice::from_raw_parts_mut(sums.add(from), n) };
            sums.iter_mut().zip(&narrow).for_each(|(sum, &x)| *sum = sum.wrapping_add(x.into()));
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::RowFolds`].
#[inline(always)]
pub(super) unsafe fn add_word_rows<S: Simd>(_: S, rows: &RowBlock<i16>, sums: *mut i32) {
    for from in (0..rows.n).step_by(PART) {
        let n = PART.min(rows.n - from);
        // SAFETY: `n` sums are writable from `from`, as `RowFolds` requires.
        let sums = unsafe { core::slice::from_raw_parts_mut(sums.add(from), n) };
        for r in 0..rows.count {
            // SAFETY: there are `count` rows of `n` readable elements, as `RowFolds` requires.
            let row = unsafe { part(rows, r, from, n) };
            sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.wrapping_add((x ^ rows.flip).into()));
        }
    }
}
