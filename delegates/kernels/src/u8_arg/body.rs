//! Plain loops, which the compiler vectorizes.

use super::Rows;
use crate::simd::Simd;

/// The number of bytes whose places fit in a byte.
const PART: usize = 256;

/// # Safety
/// The arguments must meet the requirements of [`super::Places`].
#[inline(always)]
pub(super) unsafe fn in_rows<S: Simd>(_: S, rows: &Rows, y: *mut i32) {
    for r in 0..rows.count {
        // SAFETY: there are `count` rows of `n` readable bytes, `step` apart, as `Places` requires.
        let row = unsafe { std::slice::from_raw_parts(rows.from.add(r * rows.step), rows.n) };
        let (mut best, mut place) = (0, 0);
        for (p, part) in row.chunks(PART).enumerate() {
            // The larger byte, and of equal ones the first, has the larger key.
            let key = part.iter().enumerate().fold(0u16, |most, (i, &x)| {
                most.max(u16::from(x ^ rows.flip) << 8 | (PART as u16 - 1 - i as u16))
            });
            if p == 0 || key >> 8 > best {
                (best, place) = (key >> 8, p * PART + PART - 1 - usize::from(key & 0xFF));
            }
        }
        // SAFETY: there is a result for each row, as `Places` requires.
        unsafe { y.add(r).write(place as i32) };
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Places`].
#[inline(always)]
pub(super) unsafe fn in_columns<S: Simd>(_: S, rows: &Rows, y: *mut i32) {
    for from in (0..rows.n).step_by(PART) {
        let n = PART.min(rows.n - from);
        // SAFETY: `n` results are writable from `from`, as `Places` requires.
        let y = unsafe { std::slice::from_raw_parts_mut(y.add(from), n) };
        let mut best = [0u8; PART];
        for r in 0..rows.count {
            // SAFETY: `n ≤ rows.n − from` bytes follow byte `from` of the row, as `Places` requires.
            let row = unsafe { std::slice::from_raw_parts(rows.from.add(r * rows.step + from), n) };
            for ((best, y), &x) in best.iter_mut().zip(&mut *y).zip(row) {
                let x = x ^ rows.flip;
                let is_better = r == 0 || x > *best;
                *best = if is_better { x } else { *best };
                *y = if is_better { r as i32 } else { *y };
            }
        }
    }
}
