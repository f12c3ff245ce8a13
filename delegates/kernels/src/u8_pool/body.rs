//! The kernels, for any instruction set.

use super::Window;
use crate::requantize::Bytes;
use crate::simd::Ints;

/// # Safety
/// `w` must meet the requirements of [`super::Pools`].
#[inline(always)]
pub(super) unsafe fn largest<S: Ints>(s: S, w: &Window) {
    let width = 4 * S::LANES;
    let flip = |b: S::B, bits: u8| if bits == 0 { b } else { s.flip_bytes(b) };
    for position in 0..w.positions {
        let (before, mut i) = (position * w.step, 0);
        // SAFETY: at each position, `count` pixels of `n` bytes are readable and `n` bytes are writable, as `Pools`
        // requires; each vector starts at `i < n` and has the remaining bytes.
        unsafe {
            while i < w.n {
                let n = width.min(w.n - i);
                let pixel =
                    |k: usize| flip(s.load_runs::<1>((*w.pixels.add(k)).add(before + i), 0, n), w.flips[0]);
                let most = (1..w.count).fold(pixel(0), |most, k| s.largest_bytes(most, pixel(k)));
                let result = flip(s.clamp_bytes(most, w.low, w.high), w.flips[1]);
                s.store_runs::<1>(w.c.add(position * w.n + i), 0, n, 1, result);
                i += n;
            }
        }
    }
}

/// # Safety
/// `w` must meet the requirements of [`super::Pools`].
#[inline(always)]
pub(super) unsafe fn mean<S: Ints>(s: S, w: &Window) {
    let bytes = Bytes { zero_point: 0, low: w.low, high: w.high, flip: 0 };
    for position in 0..w.positions {
        let mut i = 0;
        // SAFETY: at each position, each pixel and `c` have `w.n` channels, which `i + n` never exceeds; pixels with
        // fewer channels than a vector are read by `first_bytes`.
        unsafe {
            while i < w.n {
                let n = S::LANES.min(w.n);
                // The last vector ends with the last channel.
                i = i.min(w.n - n);
                let mut sum = s.splat_i32(0);
                for k in 0..w.count {
                    let p = (*w.pixels.add(k)).add(position * w.step + i);
                    let pixel = if n == S::LANES { s.widen(p) } else { s.widen(first_bytes(p, n).as_ptr()) };
                    sum = s.add_i32(sum, pixel);
                }
                let lifted = s.add_i32(sum, s.load_i32(w.mean.table.cast()));
                let lifted = s.decrement_below(lifted, sum, w.mean.middle);
                let mean = s.requantize::<false, false>(lifted, w.mean.table);
                s.narrow(&[mean], &bytes, w.c.add(position * w.n + i), n);
                i += n;
            }
        }
    }
}

/// The first `n` bytes at `p`, at most 16, followed by zeros: with two reads that may overlap, and no call that copies.
///
/// # Safety
/// `n` bytes must be readable.
#[inline(always)]
unsafe fn first_bytes(p: *const u8, n: usize) -> [u8; 16] {
    // SAFETY: each read ends within the `n` bytes, which are readable, as the caller guarantees.
    let bytes = unsafe {
        let quad = |at: usize| u128::from(p.add(at).cast::<u64>().read_unaligned().to_le()) << (8 * at);
        let pair = |at: usize| u128::from(p.add(at).cast::<u32>().read_unaligned().to_le()) << (8 * at);
        let byte = |at: usize| u128::from(*p.add(at)) << (8 * at);
        match n {
            8.. => quad(0) | quad(n - 8),
            4..8 => pair(0) | pair(n - 4),
            1..4 => byte(0) | byte(n / 2) | byte(n - 1),
            0 => 0,
        }
    };
    bytes.to_le_bytes()
}
