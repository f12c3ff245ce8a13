//! The microkernels, for any instruction set. They compute maxima if `MAX`, otherwise sums.

// Indices are constants once loops over columns and taps are unrolled, so that vectors stay in registers.
#![allow(clippy::needless_range_loop)]

use super::Tile;
use crate::simd::Simd;

/// The most columns of an input row that a tile reads.
const COLUMNS: usize = 15;

/// The maximum ignores a NaN in `b`.
#[inline(always)]
fn join<S: Simd, const MAX: bool>(s: S, a: S::V, b: S::V) -> S::V {
    if MAX { s.max(b, a) } else { s.add(a, b) }
}

/// Computes `N` results of windows of `K` columns, with a stride of `STRIDE` columns: first folds each column, then the
/// columns of each window.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn tile<S: Simd, const MAX: bool, const K: usize, const STRIDE: usize, const N: usize>(
    s: S,
    t: &Tile,
) {
    let columns = (N - 1) * STRIDE + K;
    let mut channel = 0;
    while channel < t.channels {
        let mut x = [s.splat(if MAX { f32::NEG_INFINITY } else { 0.0 }); COLUMNS];
        // SAFETY: pixels of each column and row of the windows are readable for whole vectors of channels, as
        // `Microkernel` requires.
        unsafe {
            let mut base = t.pixels.base.wrapping_add(channel);
            for _ in 0..t.pixels.rows {
                for i in 0..columns {
                    x[i] = join::<S, MAX>(s, x[i], s.load(base.add(i * t.pixels.column)));
                }
                base = base.wrapping_add(t.pixels.row);
            }
        }
        let mut results = [s.splat(0.0); N];
        for n in 0..N {
            results[n] = x[n * STRIDE];
            for k in 1..K {
                results[n] = join::<S, MAX>(s, results[n], x[n * STRIDE + k]);
            }
        }
        // SAFETY: there are `N` results at a distance of `stride`, with `channels` values each, and `N` factors, as
        // `Microkernel` requires.
        unsafe { write::<S, MAX, N>(s, t, channel, results) };
        channel += S::LANES;
    }
}

/// Computes `N` results from any taps, each accessed by a pointer. Reads at most `tile.channels` values of a pixel.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn exact<S: Simd, const MAX: bool, const N: usize>(s: S, t: &Tile) {
    let mut channel = 0;
    while channel < t.channels {
        let left = (t.channels - channel).min(S::LANES);
        let mut results = [s.splat(if MAX { f32::NEG_INFINITY } else { 0.0 }); N];
        // SAFETY: each pixel has at least `left` channels from `channel`, as `Microkernel` requires.
        unsafe {
            let mut pointers = t.pixels.pointers;
            for _ in 0..t.pixels.rows {
                for n in 0..N {
                    let pixel = s.load_first((*pointers.add(n)).add(channel), left);
                    results[n] = join::<S, MAX>(s, results[n], pixel);
                }
                pointers = pointers.add(N);
            }
            write::<S, MAX, N>(s, t, channel, results);
        }
        channel += S::LANES;
    }
}

#[inline(always)]
unsafe fn write<S: Simd, const MAX: bool, const N: usize>(
    s: S,
    t: &Tile,
    channel: usize,
    results: [S::V; N],
) {
    let (low, high) = (s.splat(t.low), s.splat(t.high));
    let left = (t.channels - channel).min(S::LANES);
    for n in 0..N {
        // SAFETY: each of the `N` results has a factor and `channels` writable values, of which `left` follow
        // `channel`; at most `left` are written.
        unsafe {
            let y = match MAX {
                true => results[n],
                false => s.mul(results[n], s.splat(*t.factors.add(n))),
            };
            let y = s.clamp(y, low, high);
            let c = t.c.add(channel + n * t.stride);
            match left == S::LANES {
                true => s.store(c, y),
                false => s.store_first(c, y, left),
            }
        }
    }
}
