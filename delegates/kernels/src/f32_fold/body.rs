//! The loops, for any instruction set. `F` is the index of a function in `Reduction::ALL`.

// Indices are constants once loops over vectors are unrolled.
#![allow(clippy::needless_range_loop)]

use super::Reduction;
use crate::simd::Simd;

/// The number of vectors that are folded in parallel, which hides the latency of each.
const WIDE: usize = 4;
/// The number of values in one partial result: the error of a sum grows with the number of partial results, not of
/// values.
const BLOCK: usize = 64;

/// A partial result. `odd` is 0, or NaN if the result is an extreme and an element was not finite; sums propagate NaN
/// themselves.
#[derive(Clone, Copy)]
struct Part<V> {
    result: V,
    odd: V,
}

#[inline(always)]
fn nothing<S: Simd, const F: usize>(s: S) -> Part<S::V> {
    let result = s.splat(match Reduction::ALL[F] {
        Reduction::Sum => 0.0,
        Reduction::Max => f32::NEG_INFINITY,
        Reduction::Min => f32::INFINITY,
    });
    Part { result, odd: s.splat(0.0) }
}

/// If two extremes are equal, which happens for zeros, the result is `b`.
#[inline(always)]
fn join_results<S: Simd, const F: usize>(s: S, a: S::V, b: S::V) -> S::V {
    match Reduction::ALL[F] {
        Reduction::Sum => s.add(a, b),
        Reduction::Max => s.max(a, b),
        Reduction::Min => s.min(a, b),
    }
}

#[inline(always)]
fn join<S: Simd, const F: usize>(s: S, a: Part<S::V>, b: Part<S::V>) -> Part<S::V> {
    Part { result: join_results::<S, F>(s, a.result, b.result), odd: s.add(a.odd, b.odd) }
}

/// Adds an element to a partial result. Zero times a number that is not finite is NaN.
#[inline(always)]
fn with<S: Simd, const F: usize>(s: S, a: Part<S::V>, x: S::V) -> Part<S::V> {
    Part { result: join_results::<S, F>(s, a.result, x), odd: s.fma(x, s.splat(0.0), a.odd) }
}

/// The result of each lane.
#[inline(always)]
fn finish<S: Simd, const F: usize>(s: S, part: Part<S::V>) -> S::V {
    match Reduction::ALL[F] {
        Reduction::Sum => part.result,
        Reduction::Max | Reduction::Min => s.select_lt(part.odd, s.splat(1.0), part.result, part.odd),
    }
}

#[inline(always)]
fn join_values<const F: usize>(a: f32, b: f32) -> f32 {
    match Reduction::ALL[F] {
        Reduction::Sum => a + b,
        Reduction::Max | Reduction::Min if a.is_nan() || !b.is_finite() => f32::NAN,
        Reduction::Max if a > b => a,
        Reduction::Min if a < b => a,
        Reduction::Max | Reduction::Min => b,
    }
}

/// The result of all lanes together.
#[inline(always)]
fn across<S: Simd, const F: usize>(s: S, part: Part<S::V>) -> f32 {
    let odd = s.sum(part.odd);
    match Reduction::ALL[F] {
        Reduction::Sum => s.sum(part.result),
        Reduction::Max | Reduction::Min if odd.is_nan() => odd,
        Reduction::Max => s.largest(part.result),
        Reduction::Min => -s.largest(s.sub(s.splat(-0.0), part.result)),
    }
}

/// Folds a row.
///
/// # Safety
/// `x` must be readable for `n` elements.
#[inline(always)]
pub(super) unsafe fn row<S: Simd, const F: usize>(s: S, n: usize, x: *const f32) -> f32 {
    let mut total = nothing::<S, F>(s);
    let (mut i, step) = (0, WIDE * S::LANES);
    // SAFETY: all loads end at `n` or before: first whole steps, then whole vectors, then single elements.
    unsafe {
        while i + step <= n {
            let mut parts = [nothing::<S, F>(s); WIDE];
            let end = n.min(i + BLOCK * step);
            while i + step <= end {
                for v in 0..WIDE {
                    parts[v] = with::<S, F>(s, parts[v], s.load(x.add(i + v * S::LANES)));
                }
                i += step;
            }
            let halves = (join::<S, F>(s, parts[0], parts[1]), join::<S, F>(s, parts[2], parts[3]));
            total = join::<S, F>(s, total, join::<S, F>(s, halves.0, halves.1));
        }
        while i + S::LANES <= n {
            total = with::<S, F>(s, total, s.load(x.add(i)));
            i += S::LANES;
        }
        let mut result = across::<S, F>(s, total);
        while i < n {
            result = join_values::<F>(result, *x.add(i));
            i += 1;
        }
        if F != Reduction::Sum as usize && result == 0.0 {
            return (0..n).rev().map(|i| *x.add(i)).find(|&x| x == 0.0).unwrap_or(result);
        }
        result
    }
}

/// Folds each column of a matrix.
///
/// # Safety
/// `x` must be readable for `n` elements in each of `rows` rows, `stride` apart. `y` must be writable for `n` elements.
#[inline(always)]
pub(super) unsafe fn columns<S: Simd, const F: usize>(
    s: S,
    rows: usize,
    stride: usize,
    n: usize,
    x: *const f32,
    y: *mut f32,
) {
    let mut j = 0;
    // SAFETY: only columns `j..n` are read, in rows below `rows`, and written: whole vectors, then the rest.
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
                        parts[v] = with::<S, F>(s, parts[v], s.load(x.add(v * S::LANES)));
                    }
                }
                for v in 0..WIDE {
                    totals[v] = join::<S, F>(s, totals[v], parts[v]);
                }
                row = end;
            }
            for v in 0..WIDE {
                s.store(y.add(j + v * S::LANES), finish::<S, F>(s, totals[v]));
            }
            j += WIDE * S::LANES;
        }
        while j < n {
            let left = S::LANES.min(n - j);
            let total = narrow::<S, F>(s, rows, stride, left, x.add(j));
            s.store_first(y.add(j), finish::<S, F>(s, total), left);
            j += S::LANES;
        }
    }
}

/// Folds one vector of columns. Sums have partial results: the first for rows 0, W, 2W, …, and so on. Extremes are
/// computed in the order of rows.
#[inline(always)]
unsafe fn narrow<S: Simd, const F: usize>(
    s: S,
    rows: usize,
    stride: usize,
    n: usize,
    x: *const f32,
) -> Part<S::V> {
    let mut total = nothing::<S, F>(s);
    let mut row = 0;
    // SAFETY: reads the first `n` elements of rows below `rows`, which `columns` requires to be readable.
    unsafe {
        while F == Reduction::Sum as usize && row + WIDE <= rows {
            let end = rows.min(row + WIDE * BLOCK);
            let mut parts = [nothing::<S, F>(s); WIDE];
            while row + WIDE <= end {
                for v in 0..WIDE {
                    parts[v] = with::<S, F>(s, parts[v], s.load_first(x.add((row + v) * stride), n));
                }
                row += WIDE;
            }
            let halves = (join::<S, F>(s, parts[0], parts[1]), join::<S, F>(s, parts[2], parts[3]));
            total = join::<S, F>(s, total, join::<S, F>(s, halves.0, halves.1));
        }
        while row < rows {
            total = with::<S, F>(s, total, s.load_first(x.add(row * stride), n));
            row += 1;
        }
    }
    total
}
