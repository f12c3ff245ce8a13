//! The microkernel, for any instruction set.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::Tile;
use crate::simd::Simd;

/// Computes `R` rows by `V` vectors of columns. Few sums do not fill the pipeline of multiply-adds. Then each sum is
/// kept in `P` parts: lines 0, P, 2P, … are added to the first part, and so on.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn tile<S: Simd, const R: usize, const V: usize>(s: S, t: &Tile) {
    // SAFETY: `parts` has the requirements of `Microkernel`, which `t` meets.
    unsafe {
        // The condition is constant, so that only the function that is used is compiled.
        if const { R * V <= 2 } {
            parts::<S, R, V, 4>(s, t)
        } else if const { R * V <= 4 } {
            parts::<S, R, V, 2>(s, t)
        } else {
            parts::<S, R, V, 1>(s, t)
        }
    }
}

#[inline(always)]
unsafe fn parts<S: Simd, const R: usize, const V: usize, const P: usize>(s: S, t: &Tile) {
    let width = V * S::LANES;
    let mut sums = [[[s.splat(0.0); V]; R]; P];
    let (mut a, mut w, mut soon) = (t.a, t.weights, t.prefetch.from);
    // SAFETY: `Microkernel` requires panels of `V` vectors of biases and `taps · k` lines, and rows of `k` values.
    unsafe {
        for v in 0..V {
            let bias = s.load(w.add(v * S::LANES));
            for r in 0..R {
                sums[0][r][v] = bias;
            }
        }
        w = w.add(width);
        for _ in 0..t.taps {
            let mut rows = [core::ptr::null::<f32>(); R];
            for r in 0..R {
                rows[r] = *a.add(r);
            }
            a = a.add(R);
            let mut i = 0;
            while i + P <= t.k {
                for p in 0..P {
                    // A single row is one stream, which the hardware prefetches.
                    if R > 1 {
                        s.prefetch(soon);
                        s.prefetch(soon.wrapping_add(16));
                        soon = soon.wrapping_add(t.prefetch.step);
                    }
                    line(s, &mut sums[p], &rows, i + p, w.add(p * width));
                }
                i += P;
                w = w.add(P * width);
            }
            while P > 1 && i < t.k {
                line(s, &mut sums[0], &rows, i, w);
                i += 1;
                w = w.add(width);
            }
        }
    }
    // SAFETY: writes `R` rows of results, `stride` apart, of `columns` values, which are at most `V` vectors.
    unsafe { finish(s, sums, t) }
}

/// Adds the parts and writes the results.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn finish<S: Simd, const R: usize, const V: usize, const P: usize>(
    s: S,
    mut sums: [[[S::V; V]; R]; P],
    t: &Tile,
) {
    let (low, high) = (s.splat(t.low), s.splat(t.high));
    for r in 0..R {
        for v in 0..V {
            let mut sum = sums[0][r][v];
            for p in 1..P {
                sum = s.add(sum, sums[p][r][v]);
            }
            sums[0][r][v] = s.clamp(sum, low, high);
        }
    }
    // SAFETY: `columns` results per row are writable, as `# Safety` requires.
    unsafe { write(s, &sums[0], t) }
}

/// Adds the products of line `i` of a tap, which is at `w`.
///
/// # Safety
/// Each row must be readable at index `i`, and `w` for `V` vectors.
#[inline(always)]
pub(super) unsafe fn line<S: Simd, const R: usize, const V: usize>(
    s: S,
    sums: &mut [[S::V; V]; R],
    rows: &[*const f32; R],
    i: usize,
    w: *const f32,
) {
    // SAFETY: each row has the value `i`, and the line has `V` vectors, as `# Safety` requires.
    unsafe {
        let mut weights = [s.splat(0.0); V];
        for v in 0..V {
            weights[v] = s.load(w.add(v * S::LANES));
        }
        for r in 0..R {
            let x = s.splat(*rows[r].add(i));
            for v in 0..V {
                sums[r][v] = s.fma(x, weights[v], sums[r][v]);
            }
        }
    }
}

#[inline(always)]
unsafe fn write<S: Simd, const R: usize, const V: usize>(s: S, sums: &[[S::V; V]; R], t: &Tile) {
    // SAFETY: `columns ≤ V · LANES` results per row are writable, as `Microkernel` requires.
    unsafe {
        if t.columns == V * S::LANES {
            for r in 0..R {
                for v in 0..V {
                    s.store(t.c.add(r * t.stride + v * S::LANES), sums[r][v]);
                }
            }
            return;
        }
        for r in 0..R {
            for v in 0..V {
                let from = v * S::LANES;
                let n = t.columns.saturating_sub(from).min(S::LANES);
                s.store_first(t.c.add(r * t.stride + from), sums[r][v], n);
            }
        }
    }
}
