//! The kernel, for any instruction set.

use super::{Line, PADDING};
use crate::requantize::Bytes;
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
unsafe fn two<S: Ints>(
    s: S,
    (lines, flips): (&[Line], [u8; 2]),
    j: usize,
    x: *const u8,
    y: *mut u8,
    n: usize,
) {
    let (flip, bytes) =
        (s.splat_i32(flips[0].into()), Bytes { zero_point: 0, low: 0, high: 255, flip: flips[1] });
    // SAFETY: two vectors are readable and `n` bytes writable, which `one` ensures.
    unsafe {
        let low = vector(s, lines, j, s.xor_i32(s.widen(x), flip));
        let high = vector(s, lines, j + S::LANES, s.xor_i32(s.widen(x.add(S::LANES)), flip));
        s.narrow(&[low, high], &bytes, y, n);
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Lines`].
#[inline(always)]
pub(super) unsafe fn rows<S: Ints>(
    s: S,
    lines: &[Line],
    flips: [u8; 2],
    rows: usize,
    n: usize,
    x: *const u8,
    y: *mut u8,
) {
    // SAFETY: `x` has `rows · n` readable and `y` as many writable bytes, as `Lines` requires.
    unsafe { (0..rows).for_each(|row| one::<S>(s, (lines, flips), n, x.add(row * n), y.add(row * n))) }
}

/// Computes a row.
///
/// # Safety
/// As for [`rows`].
#[inline(always)]
unsafe fn one<S: Ints>(s: S, (lines, flips): (&[Line], [u8; 2]), n: usize, x: *const u8, y: *mut u8) {
    const { assert!(PADDING.is_multiple_of(TWO * S::LANES)) };
    let step = TWO * S::LANES;
    // SAFETY: `x` has `n` readable and `y` `n` writable bytes, as `Lines` requires. Two vectors at a time end within
    // `n`; the rest is copied to a local buffer that is as wide as the padded tables.
    unsafe {
        let mut j = 0;
        while j + step <= n {
            two(s, (lines, flips), j, x.add(j), y.add(j), step);
            j += step;
        }
        if j < n {
            let mut rest = [0u8; PADDING];
            core::ptr::copy_nonoverlapping(x.add(j), rest.as_mut_ptr(), n - j);
            two(s, (lines, flips), j, rest.as_ptr(), y.add(j), n - j);
        }
    }
}
