//! The microkernel for NEON. Loads four values of each row together, and multiplies each of them, by lane, with a line
//! of the panel.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use core::arch::aarch64::*;

use super::{Tile, body};
use crate::simd::Simd;

const LANES: usize = 4;

/// Computes `R` rows by `V` vectors of columns. Few sums are kept in parts, so that additions need not wait for each
/// other.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn tile<S: Simd<V = float32x4_t>, const R: usize, const V: usize>(s: S, t: &Tile) {
    // SAFETY: `parts` has the requirements of `Microkernel`, which `t` meets.
    unsafe {
        // The condition is constant, so that only the function that is used is compiled.
        if const { R * V <= 4 } {
            parts::<S, R, V, 4>(s, t)
        } else if const { R * V <= 10 } {
            parts::<S, R, V, 2>(s, t)
        } else {
            parts::<S, R, V, 1>(s, t)
        }
    }
}

#[inline(always)]
unsafe fn parts<S: Simd<V = float32x4_t>, const R: usize, const V: usize, const P: usize>(s: S, t: &Tile) {
    for n in 0..t.repeat.count {
        // SAFETY: `Microkernel` requires all tiles to be readable and writable.
        unsafe {
            let sums = sums::<S, R, V, P>(s, t, n);
            body::finish(s, sums, t, n);
        }
    }
}

/// The sums of tile `n`.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`], and have tile `n`.
#[inline(always)]
unsafe fn sums<S: Simd<V = float32x4_t>, const R: usize, const V: usize, const P: usize>(
    s: S,
    t: &Tile,
    n: usize,
) -> [[[S::V; V]; R]; P] {
    let width = V * LANES;
    let (mut a, mut w) = (t.a, t.weights.wrapping_add(n * t.repeat.weights));
    // SAFETY: the panel has a line of biases and `k` lines for each tap, and each row of each tap has `k` values, as
    // `Microkernel` requires.
    unsafe {
        let mut sums = body::biases::<S, R, V, P>(s, w);
        w = w.add(width);
        for _ in 0..t.taps {
            let rows: [*const f32; R] = core::array::from_fn(|r| (*a.add(r)).wrapping_add(n * t.repeat.a));
            a = a.add(R);
            let mut i = 0;
            while i + LANES <= t.k {
                let mut x = [s.load(rows[0].add(i)); R];
                for r in 1..R {
                    x[r] = s.load(rows[r].add(i));
                }
                line::<S, 0, R, V>(s, &mut sums[0], &x, w);
                line::<S, 1, R, V>(s, &mut sums[1 % P], &x, w.add(width));
                line::<S, 2, R, V>(s, &mut sums[2 % P], &x, w.add(2 * width));
                line::<S, 3, R, V>(s, &mut sums[3 % P], &x, w.add(3 * width));
                i += LANES;
                w = w.add(4 * width);
            }
            while i < t.k {
                body::line(s, &mut sums[0], &rows, i, w);
                i += 1;
                w = w.add(width);
            }
        }
        sums
    }
}

/// Adds the products of lane `I` of `x` and a line of the panel.
///
/// # Safety
/// `w` must be readable for `V` vectors.
#[inline(always)]
unsafe fn line<S: Simd<V = float32x4_t>, const I: i32, const R: usize, const V: usize>(
    s: S,
    sums: &mut [[float32x4_t; V]; R],
    x: &[float32x4_t; R],
    w: *const f32,
) {
    for v in 0..V {
        // SAFETY: the line has `V` vectors, as `# Safety` requires; `s` proves that the machine has the instructions.
        unsafe {
            let w = s.load(w.add(v * LANES));
            for r in 0..R {
                sums[r][v] = vfmaq_laneq_f32::<I>(sums[r][v], w, x[r]);
            }
        }
    }
}
