//! The microkernel for the 8-bit matrix instructions of NEON: pairs of rows by pairs of columns, eight lines at a time.
//!
//! ```text
//! two groups of a panel:  a0‥3 b0‥3 c0‥3 d0‥3        columns:  a0‥7 b0‥7
//!                         a4‥7 b4‥7 c4‥7 d4‥7   ─►             c0‥7 d0‥7
//! ```

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use core::arch::aarch64::*;

use super::{Extent, Tile, body};
use crate::simd::dot::ByPair;

/// The size of a vector in bytes.
const BYTES: usize = 16;

/// The most pairs of rows.
const PAIRS: usize = 4;

/// The sums of a pair of rows and the two pairs of columns of a vector.
type Quad = [int32x4_t; 2];

/// Computes `R` rows by `V` vectors of columns. An odd last row is paired with itself.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn tile<D: ByPair, A: body::TapRows<R>, const R: usize, const V: usize>(
    d: D,
    t: &Tile<'_>,
    write: body::Write<D, V>,
) {
    const { assert!(R <= 2 * PAIRS) };
    // SAFETY: `Microkernel` requires rows readable up to their `reach`, readable groups and writable results.
    unsafe {
        let nothing = vdupq_n_s32(0);
        let mut sums = [[[nothing; 2]; V]; PAIRS];
        let (p, mut a, mut w) = (t.product, t.product.a, t.weights);
        let (whole, rest) = if p.reach >= Extent::Groups { (p.k.div_ceil(4), 0) } else { (p.k / 4, p.k % 4) };
        for _ in 0..p.taps {
            let rows = A::of(&mut a, p.step).at(0);
            let mut i = 0;
            while i < p.k / BYTES * 4 {
                let mut halves = [[vdupq_n_u8(0); PAIRS]; 2];
                for pair in 0..R.div_ceil(2) {
                    let at = |r: usize| vreinterpretq_u64_u8(vld1q_u8(rows[r.min(R - 1)].add(4 * i)));
                    let (upper, lower) = (at(2 * pair), at(2 * pair + 1));
                    halves[0][pair] = vreinterpretq_u8_u64(vzip1q_u64(upper, lower));
                    halves[1][pair] = vreinterpretq_u8_u64(vzip2q_u64(upper, lower));
                }
                eight::<D, R, V>(d, &mut sums, &halves[0], w, w.add(V * BYTES));
                eight::<D, R, V>(d, &mut sums, &halves[1], w.add(2 * V * BYTES), w.add(3 * V * BYTES));
                w = w.add(4 * V * BYTES);
                i += 4;
            }
            // Groups without a second one.
            while i < whole {
                four::<D, R, V>(d, &mut sums, |r| rows[r].add(4 * i).cast::<u32>().read_unaligned(), w);
                w = w.add(V * BYTES);
                i += 1;
            }
            if rest > 0 {
                four::<D, R, V>(d, &mut sums, |r| body::first(rows[r].add(4 * whole), rest), w);
                w = w.add(V * BYTES);
            }
        }
        let mut by_row = [[nothing; V]; R];
        for r in 0..R {
            for v in 0..V {
                let [left, right] = sums[r / 2][v].map(|pair| vreinterpretq_s64_s32(pair));
                let row = if r % 2 == 0 { vzip1q_s64(left, right) } else { vzip2q_s64(left, right) };
                by_row[r][v] = vreinterpretq_s32_s64(row);
            }
        }
        body::finish::<D, R, V>(d, &by_row, t, write);
    }
}

/// Adds the products of eight lines, which are two groups.
///
/// # Safety
/// Both groups must be readable for `V` vectors.
#[inline(always)]
unsafe fn eight<D: ByPair, const R: usize, const V: usize>(
    d: D,
    sums: &mut [[Quad; V]; PAIRS],
    rows: &[uint8x16_t; PAIRS],
    first: *const u8,
    second: *const u8,
) {
    for v in 0..V {
        // SAFETY: both groups have weights for `V` vectors, as `# Safety` requires, and `v < V`.
        let (first, second) = unsafe { (d.weights(first.add(v * BYTES)), d.weights(second.add(v * BYTES))) };
        products::<D, R, V>(d, sums, rows, v, first, second);
    }
}

/// Adds the products of a single group. `four(r)` returns the bytes of row `r`.
///
/// # Safety
/// The group must be readable for `V` vectors.
#[inline(always)]
unsafe fn four<D: ByPair, const R: usize, const V: usize>(
    d: D,
    sums: &mut [[Quad; V]; PAIRS],
    four: impl Fn(usize) -> u32,
    group: *const u8,
) {
    // SAFETY: the group has weights for `V` vectors, as `# Safety` requires; `d` proves that the machine has the
    // instructions.
    unsafe {
        let mut rows = [vdupq_n_u8(0); PAIRS];
        for pair in 0..R.div_ceil(2) {
            let at = |r: usize| vcreate_u8(four(r.min(R - 1)).into());
            rows[pair] = vcombine_u8(at(2 * pair), at(2 * pair + 1));
        }
        for v in 0..V {
            products::<D, R, V>(d, sums, &rows, v, d.weights(group.add(v * BYTES)), vdupq_n_s8(0));
        }
    }
}

/// Adds the products of two groups of vector `v`.
#[inline(always)]
fn products<D: ByPair, const R: usize, const V: usize>(
    d: D,
    sums: &mut [[Quad; V]; PAIRS],
    rows: &[uint8x16_t; PAIRS],
    v: usize,
    first: int8x16_t,
    second: int8x16_t,
) {
    // SAFETY: `d` proves that the machine has the instructions.
    let columns = unsafe {
        let (first, second) = (vreinterpretq_s32_s8(first), vreinterpretq_s32_s8(second));
        [vreinterpretq_s8_s32(vzip1q_s32(first, second)), vreinterpretq_s8_s32(vzip2q_s32(first, second))]
    };
    for pair in 0..R.div_ceil(2) {
        let quad = &mut sums[pair][v];
        quad[0] = d.multiply(quad[0], rows[pair], columns[0]);
        quad[1] = d.multiply(quad[1], rows[pair], columns[1]);
    }
}
