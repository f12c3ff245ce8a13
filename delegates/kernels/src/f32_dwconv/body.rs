//! The microkernels, for any instruction set.

// Indices are constants once loops over columns and taps are unrolled, so that vectors stay in registers.
#![allow(clippy::needless_range_loop)]

use super::Tile;
use crate::simd::Simd;

/// The most columns of an input row that a tile reads.
const COLUMNS: usize = 19;

/// Computes `N` results from rows of `K` taps, with a stride of `STRIDE` columns. If `EVEN`, the distance between
/// columns of the input is `tile.column` values; otherwise they are accessed by pointer.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn tile<S: Simd, const K: usize, const STRIDE: usize, const N: usize, const EVEN: bool>(
    s: S,
    t: &Tile,
) {
    let columns = (N - 1) * STRIDE + K;
    let (mut channel, mut block) = (0, t.weights);
    while channel < t.channels {
        // SAFETY: `Microkernel` requires a bias and all taps per block, and pixels readable for whole vectors.
        let sums = unsafe {
            let mut sums = [s.load(block); N];
            let mut w = block.add((1 + t.skip) * S::LANES);
            let (mut base, mut pixels) = (t.pixels.base.wrapping_add(channel), t.pixels.pointers);
            for _ in 0..t.pixels.rows {
                let mut x = [s.splat(0.0); COLUMNS];
                for i in 0..columns {
                    x[i] = if EVEN {
                        s.load(base.add(i * t.pixels.column))
                    } else {
                        s.load((*pixels.add(i)).add(channel))
                    };
                }
                for k in 0..K {
                    let weight = s.load(w.add(k * S::LANES));
                    for n in 0..N {
                        sums[n] = s.fma(x[n * STRIDE + k], weight, sums[n]);
                    }
                }
                w = w.add(K * S::LANES);
                if EVEN {
                    base = base.wrapping_add(t.pixels.row);
                } else {
                    pixels = pixels.wrapping_add(columns);
                }
            }
            sums
        };
        // SAFETY: `Microkernel` requires `N` results of `channels` values with this stride; `channel < channels`.
        unsafe { write(s, t, channel, sums) };
        channel += S::LANES;
        block = block.wrapping_add(t.block);
    }
}

/// Computes `N` results from any taps, each accessed by a pointer. Reads at most `tile.channels` values of a pixel.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn exact<S: Simd, const N: usize>(s: S, t: &Tile) {
    let (mut channel, mut block) = (0, t.weights);
    while channel < t.channels {
        let left = (t.channels - channel).min(S::LANES);
        // SAFETY: each block has a bias and the taps of all rows; each pixel has at least `left` channels from
        // `channel`.
        let sums = unsafe {
            let mut sums = [s.load(block); N];
            let mut w = block.add((1 + t.skip) * S::LANES);
            let mut pixels = t.pixels.pointers;
            for _ in 0..t.pixels.rows {
                let weight = s.load(w);
                for n in 0..N {
                    let x = s.load_first((*pixels.add(n)).add(channel), left);
                    sums[n] = s.fma(x, weight, sums[n]);
                }
                w = w.add(S::LANES);
                pixels = pixels.add(N);
            }
            sums
        };
        // SAFETY: `Microkernel` requires `N` results of `channels` values with this stride; `channel < channels`.
        unsafe { write(s, t, channel, sums) };
        channel += S::LANES;
        block = block.wrapping_add(t.block);
    }
}

#[inline(always)]
unsafe fn write<S: Simd, const N: usize>(s: S, t: &Tile, channel: usize, sums: [S::V; N]) {
    let (low, high) = (s.splat(t.low), s.splat(t.high));
    let left = t.channels - channel;
    // SAFETY: each result has `channels` writable values, of which `left` follow `channel`; at most `left` are written.
    unsafe {
        let c = t.c.add(channel);
        if left >= S::LANES {
            for n in 0..N {
                s.store(c.add(n * t.stride), s.clamp(sums[n], low, high));
            }
        } else {
            for n in 0..N {
                s.store_first(c.add(n * t.stride), s.clamp(sums[n], low, high), left);
            }
        }
    }
}
