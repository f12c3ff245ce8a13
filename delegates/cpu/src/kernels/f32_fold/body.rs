//! The loops, for any instruction set. `F` is the number of a function in `Fold`.

// Indices are constants once loops over vectors are unrolled.
#![allow(clippy::needless_range_loop)]

use super::Fold;
use crate::simd::Simd;

/// Vectors that are folded side by side, so that each one's latency is hidden behind the others.
const WIDE: usize = 4;
/// Values that go into one partial result: the error of a sum grows with the number of its partial results, not of its values.
const BLOCK: usize = 64;

#[inline(always)]
fn nothing<S: Simd, const F: usize>(s: S) -> S::V {
    s.splat(match Fold::ALL[F] {
        Fold::Sum => 0.0,
        Fold::Max => f32::NEG_INFINITY,
        Fold::Min => f32::INFINITY,
    })
}

/// Extremes leave out a NaN in `b`.
#[inline(always)]
fn join<S: Simd, const F: usize>(s: S, a: S::V, b: S::V) -> S::V {
    match Fold::ALL[F] {
        Fold::Sum => s.add(a, b),
        Fold::Max => s.max(b, a),
        Fold::Min => s.min(b, a),
    }
}

#[inline(always)]
fn join_values<const F: usize>(a: f32, b: f32) -> f32 {
    match Fold::ALL[F] {
        Fold::Sum => a + b,
        Fold::Max => a.max(b),
        Fold::Min => a.min(b),
    }
}

#[inline(always)]
fn across<S: Simd, const F: usize>(s: S, v: S::V) -> f32 {
    match Fold::ALL[F] {
        Fold::Sum => s.sum(v),
        Fold::Max => s.largest(v),
        Fold::Min => -s.largest(s.sub(s.splat(-0.0), v)),
    }
}

/// # Safety
/// `x` is readable for `n` elements.
#[inline(always)]
pub unsafe fn row<S: Simd, const F: usize>(s: S, n: usize, x: *const f32) -> f32 {
    let mut total = nothing::<S, F>(s);
    let (mut i, step) = (0, WIDE * S::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        while i + step <= n {
            let mut parts = [nothing::<S, F>(s); WIDE];
            let end = n.min(i + BLOCK * step);
            while i + step <= end {
                for v in 0..WIDE {
                    parts[v] = join::<S, F>(s, parts[v], s.load(x.add(i + v * S::LANES)));
                }
                i += step;
            }
            let halves = (join::<S, F>(s, parts[0], parts[1]), join::<S, F>(s, parts[2], parts[3]));
            total = join::<S, F>(s, total, join::<S, F>(s, halves.0, halves.1));
        }
        while i + S::LANES <= n {
            total = join::<S, F>(s, total, s.load(x.add(i)));
            i += S::LANES;
        }
        let mut result = across::<S, F>(s, total);
        while i < n {
            result = join_values::<F>(result, *x.add(i));
            i += 1;
        }
        result
    }
}

/// # Safety
/// `x` is readable for `n` elements in each of `rows` rows, `stride` apart; `y` is writable for `n`.
#[inline(always)]
pub unsafe fn columns<S: Simd, const F: usize>(
    s: S,
    rows: usize,
    stride: usize,
    n: usize,
    x: *const f32,
    y: *mut f32,
) {
    let mut j = 0;
    // SAFETY: the caller's promise.
    unsafe {
        while j + WIDE * S::LANES <= n {
            let mut totals = [nothing::<S, F>(s); WIDE];
            let mut row = 0;
            while row < rows {
                let end = rows.min(row + BLOCK);
                let mut parts = [nothing::<S, F>(s); WIDE];
                for i in row..end {
                    let x = x.add(i * stride + j);
                    for v in 0..WIDE {
                        parts[v] = join::<S, F>(s, parts[v], s.load(x.add(v * S::LANES)));
                    }
                }
                for v in 0..WIDE {
                    totals[v] = join::<S, F>(s, totals[v], parts[v]);
                }
                row = end;
            }
            for v in 0..WIDE {
                s.store(y.add(j + v * S::LANES), totals[v]);
            }
            j += WIDE * S::LANES;
        }
        while j < n {
            let left = S::LANES.min(n - j);
            let total = narrow::<S, F>(s, rows, stride, left, x.add(j));
            s.store_first(y.add(j), total, left);
            j += S::LANES;
        }
    }
}

/// One vector of columns: rows 0, W, 2W, … in the first partial result, and so on.
#[inline(always)]
unsafe fn narrow<S: Simd, const F: usize>(s: S, rows: usize, stride: usize, n: usize, x: *const f32) -> S::V {
    let mut total = nothing::<S, F>(s);
    let mut row = 0;
    // SAFETY: the caller's promise.
    unsafe {
        while row + WIDE <= rows {
            let end = rows.min(row + WIDE * BLOCK);
            let mut parts = [nothing::<S, F>(s); WIDE];
            while row + WIDE <= end {
                for v in 0..WIDE {
                    parts[v] = join::<S, F>(s, parts[v], s.load_first(x.add((row + v) * stride), n));
                }
                row += WIDE;
            }
            let halves = (join::<S, F>(s, parts[0], parts[1]), join::<S, F>(s, parts[2], parts[3]));
            total = join::<S, F>(s, total, join::<S, F>(s, halves.0, halves.1));
        }
        while row < rows {
            total = join::<S, F>(s, total, s.load_first(x.add(row * stride), n));
            row += 1;
        }
    }
    total
}
