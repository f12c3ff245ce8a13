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
    for n in 0..t.repeat.count {
        // Keeps the compiler from generating a separate loop for each form of epilogue.
        let t = core::hint::black_box(t);
        // SAFETY: `Microkernel` requires all tiles to be readable and writable.
        unsafe {
            let sums = sums::<S, R, V, P>(s, t, n);
            finish(s, sums, t, n);
        }
    }
}

/// The sums of tile `n`.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`], and have tile `n`.
#[inline(always)]
unsafe fn sums<S: Simd, const R: usize, const V: usize, const P: usize>(
    s: S,
    t: &Tile,
    n: usize,
) -> [[[S::V; V]; R]; P] {
    let (width, skip) = (V * S::LANES, n * t.repeat.weights);
    let (mut a, mut w, mut soon) = (t.a, t.weights.wrapping_add(skip), t.prefetch.from.wrapping_add(skip));
    // SAFETY: `Microkernel` requires panels of `V` vectors of biases and `taps · k` lines, and rows of `k` values.
    unsafe {
        let mut sums = biases::<S, R, V, P>(s, w);
        w = w.add(width);
        for _ in 0..t.taps {
            let mut rows = [core::ptr::null::<f32>(); R];
            for r in 0..R {
                rows[r] = (*a.add(r)).wrapping_add(n * t.repeat.a);
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
        sums
    }
}

/// Sums of no products: the biases, in the first part.
///
/// # Safety
/// `biases` must be readable for `V` vectors.
#[inline(always)]
pub(super) unsafe fn biases<S: Simd, const R: usize, const V: usize, const P: usize>(
    s: S,
    biases: *const f32,
) -> [[[S::V; V]; R]; P] {
    let mut sums = [[[s.splat(0.0); V]; R]; P];
    for v in 0..V {
        // SAFETY: as `# Safety` requires.
        let bias = unsafe { s.load(biases.add(v * S::LANES)) };
        for r in 0..R {
            sums[0][r][v] = bias;
        }
    }
    sums
}

/// Adds the parts, applies the operations, and writes the results of tile `n`.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`], and have tile `n`.
#[inline(always)]
pub(super) unsafe fn finish<S: Simd, const R: usize, const V: usize, const P: usize>(
    s: S,
    mut sums: [[[S::V; V]; R]; P],
    t: &Tile,
    n: usize,
) {
    for r in 0..R {
        for v in 0..V {
            for p in 1..P {
                sums[0][r][v] = s.add(sums[0][r][v], sums[p][r][v]);
            }
        }
    }
    let sums = &mut sums[0];
    // Without vectors nothing is added: see `Gemm::applies`.
    let added = t.after.added;
    let skip = n * t.repeat.c;
    let turns = if S::FUSED && !added.is_null() { 2 } else { 1 };
    // SAFETY: `columns` values per row are readable at `added`, and writable, as `# Safety` requires.
    unsafe {
        // A loop, so that the code of `limit` exists once.
        for turn in 1..=turns {
            let (low, high) = if turn == turns { (t.low, t.high) } else { (f32::MIN, f32::MAX) };
            limit(s, sums, low, high, t.taps * t.k < FEW_LINES);
            if S::FUSED && turn < turns {
                add(s, sums, added.wrapping_add(skip), t);
            }
        }
        if S::FUSED && !t.after.slopes.is_null() {
            leak(s, sums, t.after.slopes.wrapping_add(n * t.repeat.slopes), t.columns);
        }
        write(s, sums, t.c.wrapping_add(skip), t);
    }
}

/// Fewest lines of a panel for which [`limit`] looks for infinite sums. In a shorter tile, the next tile would wait for
/// the answer.
const FEW_LINES: usize = 32;

/// Clamps sums. The largest finite number needs no comparison unless a sum is infinite, which is not looked for if the
/// tile `is_short`.
#[inline(always)]
fn limit<S: Simd, const R: usize, const V: usize>(
    s: S,
    sums: &mut [[S::V; V]; R],
    low: f32,
    high: f32,
    is_short: bool,
) {
    if !S::FUSED || is_short || high < f32::MAX || !are_finite(s, sums) {
        let (low, high) = (s.splat(low), s.splat(high));
        for r in 0..R {
            for v in 0..V {
                sums[r][v] = s.clamp(sums[r][v], low, high);
            }
        }
    } else if low > f32::MIN {
        let low = s.splat(low);
        for r in 0..R {
            for v in 0..V {
                sums[r][v] = s.max(low, sums[r][v]);
            }
        }
    }
}

/// Whether all sums are finite, and their total is too: it would not be if one of them was infinite or NaN. An addition
/// does not wait for the units that multiply, as a clamp does.
#[inline(always)]
fn are_finite<S: Simd, const R: usize, const V: usize>(s: S, sums: &[[S::V; V]; R]) -> bool {
    let mut totals = [s.splat(0.0); 4];
    for r in 0..R {
        for v in 0..V {
            totals[(r * V + v) % 4] = s.add(totals[(r * V + v) % 4], sums[r][v]);
        }
    }
    let total = s.add(s.add(totals[0], totals[1]), s.add(totals[2], totals[3]));
    s.all_lt(s.sub(total, total), s.splat(1.0))
}

/// Loads vector `v` of a row. With masks, the last vector may have fewer than all lanes.
///
/// # Safety
/// `row` must be readable for `columns` values, which are more than `V − 1` vectors; without masks, for `V` vectors.
#[inline(always)]
unsafe fn load<S: Simd, const V: usize>(s: S, row: *const f32, v: usize, columns: usize) -> S::V {
    let from = v * S::LANES;
    // SAFETY: as `# Safety` requires; with masks, no value behind `columns` is read.
    unsafe {
        match S::MASKS && v + 1 == V {
            true => s.load_first(row.add(from), (columns - from).min(S::LANES)),
            false => s.load(row.add(from)),
        }
    }
}

/// Adds the values from `added` on.
///
/// # Safety
/// Each of `R` rows, `t.stride` values each after the last, must be readable as [`load`] requires.
#[inline(always)]
unsafe fn add<S: Simd, const R: usize, const V: usize>(
    s: S,
    sums: &mut [[S::V; V]; R],
    added: *const f32,
    t: &Tile,
) {
    // Without this, the compiler shares offsets of rows with `write`, and keeps them on the stack.
    let stride = core::hint::black_box(t.stride);
    for r in 0..R {
        for v in 0..V {
            // SAFETY: as `# Safety` requires.
            sums[r][v] = s.add(sums[r][v], unsafe { load::<S, V>(s, added.add(r * stride), v, t.columns) });
        }
    }
}

/// Multiplies sums below zero by the slopes of their columns.
///
/// # Safety
/// `slopes` must be readable as [`load`] requires.
#[inline(always)]
unsafe fn leak<S: Simd, const R: usize, const V: usize>(
    s: S,
    sums: &mut [[S::V; V]; R],
    slopes: *const f32,
    columns: usize,
) {
    for v in 0..V {
        // SAFETY: as `# Safety` requires.
        let slopes = unsafe { load::<S, V>(s, slopes, v, columns) };
        for r in 0..R {
            let x = sums[r][v];
            sums[r][v] = s.select_lt(x, s.splat(0.0), s.mul(x, slopes), x);
        }
    }
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
unsafe fn write<S: Simd, const R: usize, const V: usize>(s: S, sums: &[[S::V; V]; R], c: *mut f32, t: &Tile) {
    // SAFETY: `columns ≤ V · LANES` results per row are writable, as `Microkernel` requires.
    unsafe {
        if t.columns == V * S::LANES {
            for r in 0..R {
                for v in 0..V {
                    s.store(c.add(r * t.stride + v * S::LANES), sums[r][v]);
                }
            }
            return;
        }
        for r in 0..R {
            for v in 0..V {
                let from = v * S::LANES;
                let n = t.columns.saturating_sub(from).min(S::LANES);
                s.store_first(c.add(r * t.stride + from), sums[r][v], n);
            }
        }
    }
}
