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

/// The sum of no elements is −0: the sum of −0 and any number is that number, also if it is −0.
#[inline(always)]
fn nothing<S: Simd, const F: usize>(s: S) -> Part<S::V> {
    let result = s.splat(match Reduction::ALL[F] {
        Reduction::Sum => -0.0,
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
    match Reduction::ALL[F] {
        Reduction::Sum => s.sum(part.result),
        Reduction::Max | Reduction::Min if !s.all_lt(part.odd, s.splat(1.0)) => f32::NAN,
        Reduction::Max => s.largest(part.result),
        Reduction::Min => -s.largest(s.sub(s.splat(-0.0), part.result)),
    }
}

/// Folds `count` rows, one after the other.
///
/// # Safety
/// `x` must be readable for `n` elements in each of `count` rows, and `y` writable for `count` elements.
#[inline(always)]
pub(super) unsafe fn rows<S: Simd, const F: usize>(s: S, count: usize, n: usize, x: *const f32, y: *mut f32) {
    // SAFETY: row `i` is among the `count` rows, and so is its result.
    unsafe { (0..count).for_each(|i| *y.add(i) = row::<S, F>(s, n, x.add(i * n))) }
}

/// Folds a row.
///
/// # Safety
/// `x` must be readable for `n` elements.
#[inline(always)]
unsafe fn row<S: Simd, const F: usize>(s: S, n: usize, x: *const f32) -> f32 {
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
            j += last::<S, F>(s, rows, stride, n - j, x.add(j), y.add(j));
        }
    }
}

/// Folds one or two vectors of columns, of up to `n`. Returns the number of columns.
///
/// # Safety
/// As for [`columns`].
#[inline(always)]
unsafe fn last<S: Simd, const F: usize>(
    s: S,
    rows: usize,
    stride: usize,
    n: usize,
    x: *const f32,
    y: *mut f32,
) -> usize {
    // SAFETY: at most `n` columns are read and written.
    unsafe {
        if n <= S::LANES {
            let [total] = narrow::<S, F, 1>(s, rows, stride, n, x);
            s.store_first(y, finish::<S, F>(s, total), n);
            return n;
        }
        let next = S::LANES.min(n - S::LANES);
        let [first, second] = narrow::<S, F, 2>(s, rows, stride, next, x);
        s.store(y, finish::<S, F>(s, first));
        s.store_first(y.add(S::LANES), finish::<S, F>(s, second), next);
        S::LANES + next
    }
}

/// Folds `V` vectors of columns, of which the last has `n` columns. Sums have partial results: the first for rows 0, W,
/// 2W, …, and so on. Extremes are computed in the order of rows.
#[inline(always)]
unsafe fn narrow<S: Simd, const F: usize, const V: usize>(
    s: S,
    rows: usize,
    stride: usize,
    n: usize,
    x: *const f32,
) -> [Part<S::V>; V] {
    let mut totals = [nothing::<S, F>(s); V];
    let mut row = 0;
    // SAFETY: reads `V − 1` whole vectors and `n` elements of rows below `rows`, which `columns` requires to be
    // readable.
    unsafe {
        while F == Reduction::Sum as usize && row + WIDE <= rows {
            let end = rows.min(row + WIDE * BLOCK);
            let mut parts = [[nothing::<S, F>(s); WIDE]; V];
            while row + WIDE <= end {
                for i in 0..WIDE {
                    for v in 0..V {
                        let x = vector::<S, V>(s, x.add((row + i) * stride), v, n);
                        parts[v][i] = with::<S, F>(s, parts[v][i], x);
                    }
                }
                row += WIDE;
            }
            for v in 0..V {
                let [a, b, c, d] = parts[v];
                let sum = join::<S, F>(s, join::<S, F>(s, a, b), join::<S, F>(s, c, d));
                totals[v] = join::<S, F>(s, totals[v], sum);
            }
        }
        while row < rows {
            for v in 0..V {
                totals[v] = with::<S, F>(s, totals[v], vector::<S, V>(s, x.add(row * stride), v, n));
            }
            row += 1;
        }
    }
    totals
}

/// Vector `v` of a row of `V`, of which the last has `n` elements.
///
/// # Safety
/// Its elements must be readable.
#[inline(always)]
unsafe fn vector<S: Simd, const V: usize>(s: S, row: *const f32, v: usize, n: usize) -> S::V {
    // SAFETY: the caller's guarantee.
    unsafe {
        let x = row.add(v * S::LANES);
        if v + 1 < V { s.load(x) } else { s.load_first(x, n) }
    }
}
