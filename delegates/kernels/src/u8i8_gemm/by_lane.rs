//! The microkernel for NEON. Loads sixteen bytes of each row together, and multiplies each four of them, by lane, with
//! their weights.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use core::arch::aarch64::*;

use super::{Extent, Tile, body};
use crate::simd::dot::ByLane;

/// The size of a vector in bytes.
const BYTES: usize = 16;

/// Computes `R` rows by `V` vectors of columns. Few sums are kept in parts, so that additions need not wait for each
/// other.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn tile<D: ByLane, A: body::TapRows<R>, const R: usize, const V: usize>(
    d: D,
    t: &Tile<'_>,
    write: body::Write<D, V>,
) {
    // SAFETY: `parts` reads the tile's rows and panel, and `finish` writes its results; both have the requirements of
    // `Microkernel`.
    unsafe {
        // The condition is constant, so that only the function that is used is compiled.
        let sums = if const { R * V * D::REGISTERS <= 4 } {
            parts::<D, A, R, V, 4>(d, t)
        } else if const { R * V * D::REGISTERS <= 10 } {
            parts::<D, A, R, V, 2>(d, t)
        } else {
            parts::<D, A, R, V, 1>(d, t)
        };
        body::finish::<D, R, V>(d, &sums, t, write);
    }
}

#[inline(always)]
unsafe fn parts<D: ByLane, A: body::TapRows<R>, const R: usize, const V: usize, const P: usize>(
    d: D,
    t: &Tile<'_>,
) -> [[int32x4_t; V]; R] {
    let mut sums = [[[d.nothing(); V]; R]; P];
    let (p, mut a) = (t.product, t.product.a);
    let mut w = t.weights.wrapping_add(V * BYTES);
    let (whole, rest) = if p.reach >= Extent::Groups { (p.k.div_ceil(4), 0) } else { (p.k / 4, p.k % 4) };
    // SAFETY: all rows of all taps are readable up to their `reach`, and so are the panel's starts and groups, as
    // `Microkernel` requires.
    unsafe {
        for _ in 0..p.taps {
            let rows = A::of(&mut a, p.step).at(0);
            let mut i = 0;
            while i < p.k / BYTES * 4 {
                let mut x = [d.bytes(rows[0].add(4 * i)); R];
                for r in 1..R {
                    x[r] = d.bytes(rows[r].add(4 * i));
                }
                group::<D, 0, R, V>(d, &mut sums[0], &x, w);
                group::<D, 1, R, V>(d, &mut sums[1 % P], &x, w.add(V * BYTES));
                group::<D, 2, R, V>(d, &mut sums[2 % P], &x, w.add(2 * V * BYTES));
                group::<D, 3, R, V>(d, &mut sums[3 % P], &x, w.add(3 * V * BYTES));
                w = w.add(4 * V * BYTES);
                i += 4;
            }
            while i < whole {
                let mut x = [d.spread(0); R];
                for r in 0..R {
                    x[r] = d.spread(rows[r].add(4 * i).cast::<u32>().read_unaligned());
                }
                group::<D, 0, R, V>(d, &mut sums[0], &x, w);
                w = w.add(V * BYTES);
                i += 1;
            }
            if rest > 0 {
                let mut x = [d.spread(0); R];
                for r in 0..R {
                    x[r] = d.spread(body::first(rows[r].add(4 * whole), rest));
                }
                group::<D, 0, R, V>(d, &mut sums[0], &x, w);
                w = w.add(V * BYTES);
            }
        }
        let mut total = [[vdupq_n_s32(0); V]; R];
        for v in 0..V {
            let start = vld1q_s32(t.weights.add(v * BYTES).cast());
            for r in 0..R {
                total[r][v] = start;
                for p in 0..P {
                    total[r][v] = vaddq_s32(total[r][v], d.total(sums[p][r][v]));
                }
            }
        }
        total
    }
}

/// Adds the products of group `G` of `x`.
///
/// # Safety
/// `weights` must be readable for a group of `V` vectors.
#[inline(always)]
unsafe fn group<D: ByLane, const G: i32, const R: usize, const V: usize>(
    d: D,
    sums: &mut [[D::Sum; V]; R],
    x: &[int8x16_t; R],
    weights: *const u8,
) {
    for v in 0..V {
        // SAFETY: the group has weights for `V` vectors, as `# Safety` requires, and `v < V`.
        let w = unsafe { d.weights(weights.add(v * BYTES)) };
        for r in 0..R {
            sums[r][v] = d.dot_group::<G>(sums[r][v], x[r], w);
        }
    }
}
