//! The microkernel, for any instruction set.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::{Extent, Results, Tile, ToBytes, ToReals};
use crate::requantize::{Bytes, Channels};
use crate::rescale::{RealChannels, rescale};
use crate::simd::dot::{Dot, prefetch};
use crate::simd::{ByteRows, Ints, Simd};

pub(super) type Sum<D> = <<D as Dot>::S as Ints>::I;

/// [`write_rows`], which is most of a kernel's code and therefore compiled once for all numbers of rows, and for all
/// members with the same vectors.
pub(super) type Write<D, const V: usize> = unsafe fn(&mut [[Sum<D>; V]], &Tile<'_>);

/// The rows of a tap, from some byte of each row.
pub(super) trait TapRows<const R: usize>: Copy {
    /// The rows of the tap that `a` points to. Advances `a` to the next tap.
    ///
    /// # Safety
    /// `a` must have pointers for the tap.
    unsafe fn of(a: &mut *const *const u8, step: usize) -> Self;
    /// The addresses of all rows after `groups` groups of four bytes.
    fn at(&self, groups: usize) -> [*const u8; R];
    /// The same rows after `groups` groups of four bytes.
    fn after(self, groups: usize) -> Self;
}

/// One pointer per row.
#[derive(Clone, Copy)]
pub(super) struct RowPointers<const R: usize> {
    rows: [*const u8; R],
    at: usize,
}

impl<const R: usize> TapRows<R> for RowPointers<R> {
    #[inline(always)]
    unsafe fn of(a: &mut *const *const u8, _: usize) -> Self {
        let mut rows = [core::ptr::null::<u8>(); R];
        for r in 0..R {
            // SAFETY: the tap has a pointer for each of its `R` rows.
            rows[r] = unsafe { *a.add(r) };
        }
        *a = a.wrapping_add(R);
        RowPointers { rows, at: 0 }
    }
    #[inline(always)]
    fn at(&self, groups: usize) -> [*const u8; R] {
        let mut rows = self.rows;
        for r in 0..R {
            rows[r] = rows[r].wrapping_add(4 * (self.at + groups));
        }
        rows
    }
    #[inline(always)]
    fn after(self, groups: usize) -> Self {
        RowPointers { at: self.at + groups, ..self }
    }
}

/// One pointer per three rows at equal distances, which limits the number of registers.
#[derive(Clone, Copy)]
pub(super) struct Strip {
    thirds: [*const u8; 6],
    step: usize,
}

impl<const R: usize> TapRows<R> for Strip {
    #[inline(always)]
    unsafe fn of(a: &mut *const *const u8, step: usize) -> Self {
        const { assert!(R <= 18) };
        // SAFETY: the tap has one pointer, to its first row.
        let first = unsafe { **a };
        *a = a.wrapping_add(1);
        let mut thirds = [first; 6];
        for i in 1..R.div_ceil(3) {
            thirds[i] = thirds[i - 1].wrapping_add(3 * step);
        }
        Strip { thirds, step }
    }
    #[inline(always)]
    fn at(&self, groups: usize) -> [*const u8; R] {
        let mut rows = [core::ptr::null::<u8>(); R];
        for i in 0..6 {
            for m in 0..3 {
                if 3 * i + m < R {
                    rows[3 * i + m] = self.thirds[i].wrapping_add(m * self.step + 4 * groups);
                }
            }
        }
        rows
    }
    #[inline(always)]
    fn after(mut self, groups: usize) -> Self {
        for i in 0..R.div_ceil(3) {
            self.thirds[i] = self.thirds[i].wrapping_add(4 * groups);
        }
        self
    }
}

/// Computes `R` rows by `V` vectors of columns. Few sums do not fill the pipeline of dot products. Then each sum is
/// kept in `P` parts: groups 0, P, 2P, … are added to the first part, and so on.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`], with rows as `A` accesses them.
#[inline(always)]
pub(super) unsafe fn tile<D: Dot, A: TapRows<R>, const R: usize, const V: usize>(
    d: D,
    t: &Tile<'_>,
    write: Write<D, V>,
) {
    // SAFETY: `parts` reads the tile's rows and panel, and `finish` writes its results; both have the requirements of
    // `Microkernel`.
    unsafe {
        // The condition is constant, so that only the function that is used is compiled.
        let sums = if const { R * V <= 2 } {
            parts::<D, A, R, V, 4>(d, t)
        } else if const { R * V <= 4 } {
            parts::<D, A, R, V, 2>(d, t)
        } else {
            parts::<D, A, R, V, 1>(d, t)
        };
        finish::<D, R, V>(d, &sums, t, write);
    }
}

/// Passes the sums to `write`, with zeros up to whole calls of [`narrow_rows`](Ints::narrow_rows).
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn finish<D: Dot, const R: usize, const V: usize>(
    d: D,
    sums: &[[Sum<D>; V]; R],
    t: &Tile<'_>,
    write: Write<D, V>,
) {
    // From here, rows are accessed by index. The compiler must not know that this is the memory of the sums, or it
    // would keep them in memory while products are added.
    let mut room = core::mem::MaybeUninit::<[[Sum<D>; V]; MOST]>::uninit();
    let rows = core::hint::black_box(room.as_mut_ptr()).cast::<[Sum<D>; V]>();
    let count = const { R.next_multiple_of(together(<D::S as Ints>::NARROWED, V)) };
    const { assert!(R.next_multiple_of(together(<D::S as Ints>::NARROWED, V)) <= MOST) };
    // SAFETY: `count` rows fit the room, and are written before `write` reads them. `write` gets sums for all rows of
    // the tile, whose results are writable.
    unsafe {
        for r in 0..count {
            for v in 0..V {
                (*rows.add(r))[v] = if r < R { sums[r][v] } else { d.ints().splat_i32(0) };
            }
        }
        write(core::slice::from_raw_parts_mut(rows, count), t);
    }
}

/// The most rows of a tile, and zeros after them.
const MOST: usize = 16;

/// How many rows of `vectors` vectors [`narrow_rows`](Ints::narrow_rows) gets.
const fn together(narrowed: usize, vectors: usize) -> usize {
    if narrowed > vectors { narrowed / vectors } else { 1 }
}

/// Writes the results.
///
/// # Safety
/// `t` must meet the requirements of [`super::Microkernel`].
#[inline(always)]
pub(super) unsafe fn write_rows<D: Dot, const V: usize>(d: D, sums: &mut [[Sum<D>; V]], t: &Tile<'_>) {
    // SAFETY: `t` has channels, row terms and room for its kind of results, as `Microkernel` requires; the called
    // functions require the same.
    unsafe {
        match &t.results {
            Results::Bytes(to) if four_rows::<D, V>(d, sums, t, to) => {}
            Results::Bytes(to) if to.is_far => write_bytes::<D::S, V, FAR>(d.ints(), sums, t, to),
            Results::Bytes(to) if to.is_away => write_bytes::<D::S, V, AWAY>(d.ints(), sums, t, to),
            Results::Bytes(to) => write_bytes::<D::S, V, GENERAL>(d.ints(), sums, t, to),
            Results::Reals(to) => write_reals::<D, V>(d, sums, t, to),
            Results::Sums => write_sums::<D, V>(sums, t),
        }
    }
}

#[inline(always)]
unsafe fn parts<D: Dot, A: TapRows<R>, const R: usize, const V: usize, const P: usize>(
    d: D,
    t: &Tile<'_>,
) -> [[Sum<D>; V]; R] {
    let s = d.ints();
    let mut sums = [[[s.splat_i32(0); V]; R]; P];
    let (p, mut a, mut w, ahead) = (t.product, t.product.a, groups::<D, V>(t), t.product.cached.ahead());
    let (whole, rest) = if p.reach >= Extent::Groups { (p.k.div_ceil(4), 0) } else { (p.k / 4, p.k % 4) };
    // SAFETY: `Microkernel` requires that rows are readable up to their `reach`, and all groups of the panel.
    unsafe {
        for _ in 0..p.taps {
            let mut rows = A::of(&mut a, p.step);
            let mut i = 0;
            while i + P <= whole {
                for part in 0..P {
                    let at = rows.at(part);
                    prefetch::<D, R>(s, w, V * D::WEIGHTS, ahead);
                    group(d, &mut sums[part], |r| at[r].cast::<u32>().read_unaligned(), w);
                    w = w.add(V * D::WEIGHTS);
                }
                rows = rows.after(P);
                i += P;
            }
            while P > 1 && i < whole {
                let at = rows.at(0);
                group(d, &mut sums[0], |r| at[r].cast::<u32>().read_unaligned(), w);
                w = w.add(V * D::WEIGHTS);
                rows = rows.after(1);
                i += 1;
            }
            if rest > 0 {
                let at = rows.at(0);
                group(d, &mut sums[0], |r| first(at[r], rest), w);
                w = w.add(V * D::WEIGHTS);
            }
        }
    }
    for p in 1..P {
        for r in 0..R {
            for v in 0..V {
                sums[0][r][v] = s.add_i32(sums[0][r][v], sums[p][r][v]);
            }
        }
    }
    sums[0]
}

/// The address of the first group of a panel. Nothing is subtracted from the bytes of rows here, so the panel's start
/// is not needed.
#[inline(always)]
fn groups<D: Dot, const V: usize>(t: &Tile<'_>) -> *const u8 {
    t.weights.wrapping_add(if D::STARTS == 0 { 0 } else { V * D::LANES * size_of::<i32>() })
}

/// Adds the products of one group. `four(r)` returns the bytes of row `r`.
///
/// # Safety
/// `weights` must be readable for a group of `V` vectors.
#[inline(always)]
pub(super) unsafe fn group<D: Dot, const R: usize, const V: usize>(
    d: D,
    sums: &mut [[Sum<D>; V]; R],
    four: impl Fn(usize) -> u32,
    weights: *const u8,
) {
    // SAFETY: the group has weights for `V` vectors, as `# Safety` requires, and `v < V`.
    let w: [D::W; V] = std::array::from_fn(|v| unsafe { d.weights(weights.add(v * D::WEIGHTS)) });
    for r in 0..R {
        d.dot_row(&mut sums[r], d.spread(four(r)), w);
    }
}

/// The first `n` of four bytes; the others are zero.
///
/// # Safety
/// `n ≤ 4` bytes must be readable.
#[inline(always)]
pub(super) unsafe fn first(p: *const u8, n: usize) -> u32 {
    // SAFETY: `i < n ≤ 4`, and `n` bytes are readable, as `# Safety` requires.
    (0..n).fold(0, |four, i| four | u32::from(unsafe { *p.add(i) }) << (8 * i))
}

/// Writes the bytes of a tile of four rows. Returns false if it did not.
///
/// # Safety
/// As for [`write_rows`].
#[inline(always)]
unsafe fn four_rows<D: Dot, const V: usize>(d: D, sums: &[[Sum<D>; V]], t: &Tile<'_>, to: &ToBytes) -> bool {
    let (s, Ok(sums)) = (d.ints(), <&[[Sum<D>; V]; 4]>::try_from(sums)) else { return false };
    if t.rows != 4 || !to.row_terms.is_null() || !to.is_in_registers::<D::S, V>(t.columns) {
        return false;
    }
    let mut sums = *sums;
    // SAFETY: there is a block per vector, and whole rows are writable.
    unsafe {
        for v in 0..V {
            let channels = s.channels(to.channels.add(v * Channels::stride(D::LANES)));
            for r in 0..4 {
                sums[r][v] = s.add_bias(sums[r][v], channels);
            }
        }
        let rows = ByteRows { first: t.c, step: t.product.stride, columns: t.columns };
        s.convert_rows(&sums, to.channels, &to.bytes, rows);
    }
    true
}

/// All channels round up and shift to the right by 32 or more.
const FAR: u8 = 0;
/// All channels shift to the right by 32 or more, and none to the left.
const AWAY: u8 = 1;
/// Channels shift by any number of bits.
const GENERAL: u8 = 2;

#[inline(always)]
unsafe fn write_bytes<S: Ints, const V: usize, const SCALING: u8>(
    s: S,
    sums: &mut [[S::I; V]],
    t: &Tile<'_>,
    to: &ToBytes,
) {
    let zero_point = s.splat_i32(to.bytes.zero_point);
    // If sums are scaled by general factors, adding the zero point may wrap.
    let bytes = if SCALING == GENERAL { Bytes { zero_point: 0, ..to.bytes } } else { to.bytes };
    // SAFETY: there is a block per vector, and `v < V`.
    let block = |v: usize| unsafe { s.channels(to.channels.add(v * Channels::stride(S::LANES))) };
    let channels: [_; V] = core::array::from_fn(block);
    if !to.row_terms.is_null() {
        // SAFETY: there is a term per row.
        let terms = unsafe { core::slice::from_raw_parts(to.row_terms, t.rows) };
        for (row, &term) in sums.iter_mut().zip(terms) {
            *row = row.map(|sum| s.add_i32(sum, s.splat_i32(term)));
        }
    }
    let (mut c, mut left, together) = (t.c, t.rows, const { together(S::NARROWED, V) });
    debug_assert_eq!(sums.len(), left.next_multiple_of(together), "a kernel for another number of rows");
    // Not unrolled, so that the channels stay in registers.
    for sums in sums.chunks_exact(together) {
        let mut some = [zero_point; 4];
        for r in 0..together {
            for v in 0..V {
                let x = s.add_bias(sums[r][v], channels[v]);
                some[r * V + v] = match SCALING {
                    FAR => s.scale_upper::<false>(x, channels[v]),
                    AWAY => s.scale_upper::<true>(x, channels[v]),
                    _ => s.add_i32(s.scale_by::<true, true>(x, channels[v]), zero_point),
                };
            }
        }
        // SAFETY: `columns` bytes are writable of each of the `left` rows from `c` on.
        unsafe { s.narrow_rows::<V>(some, &bytes, c, t.product.stride, t.columns, together.min(left)) };
        (c, left) = (c.wrapping_add(together * t.product.stride), left.saturating_sub(together));
    }
}

#[inline(always)]
unsafe fn write_reals<D: Dot, const V: usize>(d: D, sums: &[[Sum<D>; V]], t: &Tile<'_>, to: &ToReals) {
    let s = d.ints();
    let lanes = D::LANES;
    // Not unrolled, since it takes little time compared with the sums.
    for (r, sums) in sums.iter().enumerate().take(t.rows) {
        // SAFETY: there is a block per vector and a quantized row per row, and `columns` reals per row are writable.
        unsafe {
            let row = *to.rows.add(r);
            let c = t.c.add(r * t.product.stride).cast::<f32>();
            for v in 0..V {
                let block = to.channels.add(v * RealChannels::stride(lanes));
                let real = rescale(s, sums[v], block, row, to.limits);
                match t.columns - v * lanes {
                    n if n >= lanes => s.store(c.add(v * lanes), real),
                    n => s.store_first(c.add(v * lanes), real, n),
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn write_sums<D: Dot, const V: usize>(sums: &[[Sum<D>; V]], t: &Tile<'_>) {
    for (r, sums) in sums.iter().enumerate().take(t.rows) {
        // SAFETY: rows have room for whole vectors, and a vector of sums is its lanes in order.
        unsafe { t.c.add(r * t.product.stride).cast::<[Sum<D>; V]>().write_unaligned(*sums) };
    }
}
