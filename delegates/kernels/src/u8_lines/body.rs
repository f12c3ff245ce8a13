//! The kernel, for any instruction set.

use super::{ALL, Line, PADDING};
use crate::simd::Ints;

/// The number of vectors that are written together.
const TWO: usize = 2;

/// The results for the columns of one vector, starting at `j`.
#[inline(always)]
unsafe fn vector<S: Ints>(s: S, lines: &[Line], j: usize, mut x: S::I) -> S::I {
    for line in lines {
        // SAFETY: tables are padded to whole vectors, as `Lines` requires.
        unsafe {
            let steps = s.mul_i32(s.sub_i32(x, s.splat_i32(line.zero)), s.load_i32(line.slopes.add(j)));
            let mut sum = s.add_i32(steps, s.load_i32(line.offsets.add(j)));
            if !line.drops.is_null() {
                sum = s.sub_below(sum, s.load_i32(line.drops.add(j)), x, line.zero);
            }
            x = s.clamp_i32(s.shift_right(sum, line.shift), line.low.into(), line.high.into());
        }
    }
    x
}

/// Computes two vectors of columns, starting at `j`, and writes `n` bytes.
#[inline(always)]
unsafe fn two<S: Ints>(s: S, lines: &[Line], j: usize, x: *const u8, y: *mut u8, n: usize) {
    // SAFETY: two vectors are readable and `n` bytes writable, which `row` ensures.
    unsafe {
        let low = vector(s, lines, j, s.widen(x));
        let high = vector(s, lines, j + S::LANES, s.widen(x.add(S::LANES)));
        s.narrow(&[low, high], &ALL, y, n);
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Lines`].
#[inline(always)]
pub(super) unsafe fn row<S: Ints>(s: S, lines: &[Line], n: usize, x: *const u8, y: *mut u8) {
    const { assert!(PADDING.is_multiple_of(TWO * S::LANES)) };
    let step = TWO * S::LANES;
    // SAFETY: `x` has `n` readable and `y` `n` writable bytes, as `Lines` requires. Two vectors at a time end within
    // `n`; the rest is copied to a local buffer that is as wide as the padded tables.
    unsafe {
        let mut j = 0;
        while j + step <= n {
            two(s, lines, j, x.add(j), y.add(j), step);
            j += step;
        }
        if j < n {
            let mut rest = [0u8; PADDING];
            core::ptr::copy_nonoverlapping(x.add(j), rest.as_mut_ptr(), n - j);
            two(s, lines, j, rest.as_ptr(), y.add(j), n - j);
        }
    }
}
