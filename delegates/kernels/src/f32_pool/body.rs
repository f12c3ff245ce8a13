//! The microkernels, for any instruction set. `MAX` tells largest values from sums.

// Indices are constants once loops over columns and taps are unrolled: so vectors stay in registers.
#![allow(clippy::needless_range_loop)]

use super::Tile;
use crate::simd::Simd;

/// Most columns of an input row that a tile reads.
const COLUMNS: usize = 15;

/// The largest leaves out a NaN in `b`.
#[inline(always)]
fn join<S: Simd, const MAX: bool>(s: S, a: S::V, b: S::V) -> S::V {
    if MAX { s.max(b, a) } else { s.add(a, b) }
}

/// `N` results of windows `K` columns wide, `STRIDE` columns apart: columns first, then the columns of each window.
///
/// # Safety
/// That of [`super::Microkernel`].
#[inline(always)]
pub unsafe fn tile<S: Simd, const MAX: bool, const K: usize, const STRIDE: usize, const N: usize>(
    s: S,
    t: &Tile,
) {
    let columns = (N - 1) * STRIDE + K;
    let mut channel = 0;
    while channel < t.channels {
        let mut x = [s.splat(if MAX { f32::NEG_INFINITY } else { 0.0 }); COLUMNS];
        // SAFETY: pixels are readable for whole vectors of channels, as `Microkernel` asks: each column that a window has of each row.
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
        // SAFETY: there are `N` results, `stride` apart, of `channels` values each, and as many factors.
        unsafe { write::<S, MAX, N>(s, t, channel, results) };
        channel += S::LANES;
    }
}

/// `N` results of any taps, each found by a pointer; reads no more than `tile.channels` values of a pixel.
///
/// # Safety
/// That of [`super::Microkernel`].
#[inline(always)]
pub unsafe fn exact<S: Simd, const MAX: bool, const N: usize>(s: S, t: &Tile) {
    let mut channel = 0;
    while channel < t.channels {
        let left = (t.channels - channel).min(S::LANES);
        let mut results = [s.splat(if MAX { f32::NEG_INFINITY } else { 0.0 }); N];
        // SAFETY: `left` is what the pixels, found by pointers, still have of their channels.
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
        // SAFETY: the caller asks for no more than `left` of the `channels` values of each of the `N` results, which have a factor each.
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
