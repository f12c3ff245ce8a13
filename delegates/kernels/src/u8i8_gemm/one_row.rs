//! Products of one row, all panels in one call: dense layers of a batch of one, and convolutions with one result per
//! channel. Such a product takes no longer than a few calls of a kernel.
//!
//! ```text
//! panels:   ┌ V vectors ┐┌ V vectors ┐   ┌ V vectors ┐┌ rest ┐
//!           └───── together, N ──────┘   └── alone ──┘└ alone ┘
//! ```

// Indices are constants once loops over panels and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::body::{Sum, first};
use super::{Extent, Product, Results, ToBytes};
use crate::requantize::Channels;
use crate::simd::Ints;
use crate::simd::dot::Dot;

/// Computes a product of [one plain row](Product::is_plain_row), with panels of `V` vectors, `N` of which are computed
/// together.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`].
#[inline(always)]
pub(super) unsafe fn row<D: Dot, const V: usize, const N: usize>(d: D, p: &Product) {
    const { assert!(N == 1 || N * V == <D::S as Ints>::NARROWED) };
    let Results::Bytes(to) = &p.results else { return };
    let all = p.columns.div_ceil(D::LANES);
    let mut block = 0;
    // SAFETY: vectors from `block` on begin a panel, of `V` vectors while as many are left. Panels, channels and
    // results are as `Gemm::multiply` requires.
    unsafe {
        while N > 1 && block + N * V <= all && (block + N * V) * D::LANES <= p.columns {
            write::<D, V, N>(d, sums::<D, V, N, 2>(d, p, block), p, to, block);
            block += N * V;
        }
        while block + V <= all {
            write::<D, V, 1>(d, sums::<D, V, 1, 2>(d, p, block), p, to, block);
            block += V;
        }
        if V > 1 && block < all {
            write::<D, 1, 1>(d, sums::<D, 1, 1, 4>(d, p, block), p, to, block);
        }
    }
}

/// The sums of `N` panels of `V` vectors from vector `block` on. Each sum is kept in `P` parts, to fill the pipeline of
/// dot products.
///
/// # Safety
/// As for [`row`].
#[inline(always)]
unsafe fn sums<D: Dot, const V: usize, const N: usize, const P: usize>(
    d: D,
    p: &Product,
    block: usize,
) -> [[Sum<D>; V]; N] {
    let s = d.ints();
    let panel = V * D::LANES * p.column_bytes;
    let start = if D::STARTS == 0 { 0 } else { V * D::LANES * size_of::<i32>() };
    let mut w = p.weights.wrapping_add(block * D::LANES * p.column_bytes + start);
    let mut sums = [[[s.splat_i32(0); V]; N]; P];
    let (whole, rest) = if p.reach >= Extent::Groups { (p.k.div_ceil(4), 0) } else { (p.k / 4, p.k % 4) };
    // SAFETY: the row has a pointer per tap and is readable up to its reach, and the panels have all groups, as `row`
    // requires.
    unsafe {
        for tap in 0..p.taps {
            let mut a = *p.a.add(tap);
            let mut i = 0;
            while i + P <= whole {
                for part in 0..P {
                    group(d, &mut sums[part], a.add(4 * part).cast::<u32>().read_unaligned(), w, panel);
                    w = w.add(V * D::WEIGHTS);
                }
                (a, i) = (a.wrapping_add(4 * P), i + P);
            }
            while i < whole {
                group(d, &mut sums[0], a.cast::<u32>().read_unaligned(), w, panel);
                w = w.add(V * D::WEIGHTS);
                (a, i) = (a.wrapping_add(4), i + 1);
            }
            if rest > 0 {
                group(d, &mut sums[0], first(a, rest), w, panel);
                w = w.add(V * D::WEIGHTS);
            }
        }
    }
    total(s, &sums)
}

/// The sums of all parts.
#[inline(always)]
fn total<S: Ints, const V: usize, const N: usize, const P: usize>(
    s: S,
    parts: &[[[S::I; V]; N]; P],
) -> [[S::I; V]; N] {
    let mut sums = parts[0];
    for part in 1..P {
        for n in 0..N {
            for v in 0..V {
                sums[n][v] = s.add_i32(sums[n][v], parts[part][n][v]);
            }
        }
    }
    sums
}

/// Adds the products of one group of four bytes.
///
/// # Safety
/// `weights` must be readable for a group of `V` vectors, in each of `N` panels.
#[inline(always)]
unsafe fn group<D: Dot, const V: usize, const N: usize>(
    d: D,
    sums: &mut [[Sum<D>; V]; N],
    four: u32,
    weights: *const u8,
    panel: usize,
) {
    let a = d.spread(four);
    for n in 0..N {
        for v in 0..V {
            // SAFETY: the group of panel `n` has weights for `V` vectors.
            let w = unsafe { d.weights(weights.add(n * panel + v * D::WEIGHTS)) };
            sums[n][v] = d.dot(sums[n][v], a, w);
        }
    }
}

/// Writes the results of `N` panels from vector `block` on.
///
/// # Safety
/// As for [`row`]; all columns of `N > 1` panels must exist.
#[inline(always)]
unsafe fn write<D: Dot, const V: usize, const N: usize>(
    d: D,
    sums: [[Sum<D>; V]; N],
    p: &Product,
    to: &ToBytes,
    block: usize,
) {
    let s = d.ints();
    let mut some = [s.splat_i32(to.bytes.zero_point); 4];
    let (first, width) = (block * D::LANES, V * D::LANES);
    // SAFETY: there is a block of channels per vector, and `columns` results are writable. Panels that are written
    // together are complete rows of `width` bytes, one after the other.
    unsafe {
        for n in 0..N {
            for v in 0..V {
                let at = block + n * V + v;
                let channels = s.channels(to.channels.add(at * Channels::stride(D::LANES)));
                some[n * V + v] = s.scale_upper::<false>(s.add_bias(sums[n][v], channels), channels);
            }
        }
        let columns = width.min(p.columns - first);
        s.narrow_rows::<V>(some, &to.bytes, p.c.add(first), width, columns, N);
    }
}
