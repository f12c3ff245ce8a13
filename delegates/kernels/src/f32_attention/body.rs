//! The loops, for any instruction set.

use arenite_base::Clamp;

use super::{HIDDEN, Tile};
use crate::simd::Simd;

/// Vectors of a mask that are looked at together.
const LOOK: usize = 4;
/// Elements of a line of a cache.
const LINE: usize = 16;

/// # Safety
/// The first `R` rows of the tile and the matrix must be readable, and results writable.
#[inline(always)]
pub(super) unsafe fn dots<S: Simd, const R: usize>(s: S, tile: &Tile) {
    let mut j = 0;
    while j + 4 <= tile.columns {
        // SAFETY: rows `j..j + 4` of the matrix exist.
        unsafe { dot_tile::<S, R, 4>(s, tile, j) };
        j += 4;
    }
    while j < tile.columns {
        // SAFETY: row `j` exists.
        unsafe { dot_tile::<S, R, 1>(s, tile, j) };
        j += 1;
    }
}

/// # Safety
/// See [`dots`]; the matrix has rows `first..first + C`.
#[inline(always)]
unsafe fn dot_tile<S: Simd, const R: usize, const C: usize>(s: S, tile: &Tile, first: usize) {
    let mut sums = [[s.splat(0.0); C]; R];
    let mut k = 0;
    while k < tile.depth {
        let left = S::LANES.min(tile.depth - k);
        let mut a = [s.splat(0.0); R];
        // SAFETY: each row has elements `k..k + left`.
        unsafe {
            for (r, a) in a.iter_mut().enumerate() {
                let at = tile.a[r].add(k);
                *a = if left == S::LANES { s.load(at) } else { s.load_first(at, left) };
            }
            for c in 0..C {
                let at = tile.b.add((first + c) * tile.b_row + k);
                let b = if left == S::LANES { s.load(at) } else { s.load_first(at, left) };
                for (sums, &a) in sums.iter_mut().zip(&a) {
                    sums[c] = s.fma(a, b, sums[c]);
                }
            }
        }
        k += S::LANES;
    }
    for (r, sums) in sums.iter().enumerate() {
        for (c, sum) in sums.iter().enumerate() {
            // SAFETY: column `first + c` exists in each row of results.
            unsafe { *tile.c[r].add(first + c) = s.sum(*sum) };
        }
    }
}

/// # Safety
/// The first `R` rows of the tile and the matrix must be readable, and results writable, and readable if the tile
/// `adds`.
#[inline(always)]
pub(super) unsafe fn mix<S: Simd, const R: usize>(s: S, tile: &Tile) {
    let mut j = 0;
    if S::LANES >= 16 {
        while j + 4 * S::LANES <= tile.columns {
            // SAFETY: four vectors of columns exist, starting at `j`.
            unsafe { mix_tile::<S, R, 4>(s, tile, j) };
            j += 4 * S::LANES;
        }
    }
    while j + 2 * S::LANES <= tile.columns {
        // SAFETY: two vectors of columns exist, starting at `j`.
        unsafe { mix_tile::<S, R, 2>(s, tile, j) };
        j += 2 * S::LANES;
    }
    while j < tile.columns {
        // SAFETY: column `j` exists.
        unsafe { mix_rest::<S, R>(s, tile, j) };
        j += S::LANES;
    }
}

/// # Safety
/// See [`mix`]; `V` vectors of columns exist, starting at `j`.
#[inline(always)]
unsafe fn mix_tile<S: Simd, const R: usize, const V: usize>(s: S, tile: &Tile, j: usize) {
    let mut sums = [[s.splat(0.0); V]; R];
    // SAFETY: reads element `k` of each row, and vectors of row `k` of the matrix and of results, starting at `j`.
    unsafe {
        if tile.adds {
            for (r, sums) in sums.iter_mut().enumerate() {
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = s.load(tile.c[r].add(j + v * S::LANES));
                }
            }
        }
        for k in 0..tile.depth {
            let row = tile.b.add(k * tile.b_row + j);
            let mut b = [s.splat(0.0); V];
            for (v, b) in b.iter_mut().enumerate() {
                *b = s.load(row.add(v * S::LANES));
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let a = s.splat(*tile.a[r].add(k));
                for v in 0..V {
                    sums[v] = s.fma(a, b[v], sums[v]);
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for (v, sum) in sums.iter().enumerate() {
                s.store(tile.c[r].add(j + v * S::LANES), *sum);
            }
        }
    }
}

/// # Safety
/// See [`mix`]; `j` is less than the number of columns.
#[inline(always)]
unsafe fn mix_rest<S: Simd, const R: usize>(s: S, tile: &Tile, j: usize) {
    let left = S::LANES.min(tile.columns - j);
    let mut sums = [s.splat(0.0); R];
    // SAFETY: as in `mix_tile`, for `left` columns.
    unsafe {
        if tile.adds {
            for (r, sum) in sums.iter_mut().enumerate() {
                *sum = s.load_first(tile.c[r].add(j), left);
            }
        }
        for k in 0..tile.depth {
            let b = s.load_first(tile.b.add(k * tile.b_row + j), left);
            for (r, sum) in sums.iter_mut().enumerate() {
                *sum = s.fma(s.splat(*tile.a[r].add(k)), b, *sum);
            }
        }
        for (r, sum) in sums.iter().enumerate() {
            s.store_first(tile.c[r].add(j), *sum, left);
        }
    }
}

/// # Safety
/// `x` must be readable and writable, and `mask` readable, for `n` elements.
#[inline(always)]
pub(super) unsafe fn shift<S: Simd>(s: S, n: usize, x: *mut f32, scale: f32, mask: *const f32, clamp: Clamp) {
    let (scale, low, high) = (s.splat(scale), s.splat(clamp.low), s.splat(clamp.high));
    let mut i = 0;
    while i < n {
        let left = S::LANES.min(n - i);
        // SAFETY: accesses elements `i..i + left`.
        unsafe {
            let (v, m) = (s.load_first(x.add(i), left), s.load_first(mask.add(i), left));
            s.store_first(x.add(i), s.clamp(s.fma(v, scale, m), low, high), left);
        }
        i += S::LANES;
    }
}

/// # Safety
/// `mask` must be readable for `n` elements.
#[inline(always)]
pub(super) unsafe fn visible<S: Simd>(s: S, n: usize, mask: *const f32) -> (usize, usize) {
    let (step, mut first, mut end) = (LOOK * S::LANES, 0, n);
    // SAFETY: looks at elements below `n`.
    unsafe {
        while end >= step && are_hidden(s, mask.add(end - step)) {
            end -= step;
        }
        while end > 0 && *mask.add(end - 1) < HIDDEN {
            end -= 1;
        }
        while first + step <= end && are_hidden(s, mask.add(first)) {
            first += step;
        }
        while first < end && *mask.add(first) < HIDDEN {
            first += 1;
        }
    }
    if end == 0 { (n, 0) } else { (first, end) }
}

/// Whether all elements of `LOOK` vectors are hidden. NaN is not less than any number.
///
/// # Safety
/// `mask` must be readable for `LOOK` vectors.
#[inline(always)]
unsafe fn are_hidden<S: Simd>(s: S, mask: *const f32) -> bool {
    let (zero, one, hidden) = (s.splat(0.0), s.splat(1.0), s.splat(HIDDEN));
    let mut shown = zero;
    for v in 0..LOOK {
        // SAFETY: `LOOK` vectors are readable.
        let x = unsafe { s.load(mask.add(v * S::LANES)) };
        shown = s.max(shown, s.select_lt(x, hidden, zero, one));
    }
    s.largest(shown) == 0.0
}

/// # Safety
/// None: addresses are fetched, not read.
#[inline(always)]
pub(super) unsafe fn fetch<S: Simd>(s: S, rows: usize, columns: usize, b: *const f32, b_row: usize) {
    for row in 0..rows {
        for j in (0..columns).step_by(LINE) {
            s.prefetch(b.wrapping_add(row * b_row + j));
        }
    }
}
