//! The kernels, for any instruction set.

use super::Window;
use crate::requantize::Bytes;
use crate::simd::Ints;

/// # Safety
/// `w` must meet the requirements of [`super::Pools`].
#[inline(always)]
pub(super) unsafe fn largest<S: Ints>(s: S, w: &Window) {
    let width = 4 * S::LANES;
    let mut i = 0;
    // SAFETY: `count` pixels of `n` bytes are readable and `c` has `n` writable bytes, as `Pools` requires; each vector
    // starts at `i < n` and has the remaining bytes.
    unsafe {
        while i < w.n {
            let n = width.min(w.n - i);
            let mut most = s.load_runs::<1>((*w.pixels).add(i), 0, n);
            for k in 1..w.count {
                most = s.largest_bytes(most, s.load_runs::<1>((*w.pixels.add(k)).add(i), 0, n));
            }
            s.store_runs::<1>(w.c.add(i), 0, n, 1, s.clamp_bytes(most, w.low, w.high));
            i += n;
        }
    }
}

/// # Safety
/// `w` must meet the requirements of [`super::Pools`].
#[inline(always)]
pub(super) unsafe fn mean<S: Ints>(s: S, w: &Window) {
    let bytes = Bytes { zero_point: 0, low: w.low, high: w.high, flip: 0 };
    let mut i = 0;
    // SAFETY: each pixel and `c` have `w.n` channels, which `i + n` never exceeds; fewer channels than a vector are
    // copied to a local buffer first.
    unsafe {
        while i < w.n {
            let n = S::LANES.min(w.n);
            // The last vector ends with the last channel.
            i = i.min(w.n - n);
            let mut sum = s.splat_i32(0);
            for k in 0..w.count {
                let p = (*w.pixels.add(k)).add(i);
                let mut last = [0u8; 16];
                let p = if n == S::LANES {
                    p
                } else {
                    core::ptr::copy_nonoverlapping(p, last.as_mut_ptr(), n);
                    last.as_ptr()
                };
                sum = s.add_i32(sum, s.widen(p));
            }
            let lifted = s.add_i32(sum, s.load_i32(w.mean.table.cast()));
            let lifted = s.decrement_below(lifted, sum, w.mean.middle);
            s.narrow(&[s.requantize::<false, false>(lifted, w.mean.table)], &bytes, w.c.add(i), n);
            i += n;
        }
    }
}
