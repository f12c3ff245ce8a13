//! Products of bytes with AVX2 and AVX-512. `vpmaddubsw` saturates sums of two products, so rows are bounded first.
//!
//! ```text
//! pairs:  a₀ + a₁ ≤ 256                three instructions for 32 products: vpmaddubsw, vpmaddwd, vpaddd
//! fours:  a₀ + a₁ + b₀ + b₁ ≤ 256      five for 64: two vpmaddubsw are added before they are widened
//!
//! row that meets a bound               in place: sum[j] = Σ row · w[j]
//! other row ─► row − offset, bounded, in a copy     + corrections: (group, byte, value)
//!              sum[j] = offset · Σ w[j] + Σ corrections · w[j] + Σ copy · w[j]
//! ```
//! With these bounds every sum of products is between −256 · 128 = −2¹⁵ and 256 · 127, whatever the weights are. The
//! copy has zero in place of bytes that would exceed the bound and of bytes below the offset; corrections add the
//! difference. The offset follows the mean of the rows. If a row needs too many corrections, the next bound or offset
//! is tried; after the last one, or where copies do not pay, words are multiplied.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use core::mem::MaybeUninit;

use super::body::{self, Sum, Write};
use super::bound::{BYTES, Bound, CORRECTIONS, Copies, Correction, bound_of, mean, row_of};
use super::{Microkernel, Product, Tile, Worth, each_panel, panels};
use crate::simd::Ints;
use crate::simd::dot::Pairs;

/// The most bytes of a row that is copied.
pub(super) const MOST: usize = 8192;
/// The most bytes of most rows.
const SHORT: usize = 1024;
/// The most rows of a tile.
const ROWS: usize = 4;
/// The most rows of a tile of words.
const WORD_ROWS: usize = 12;

/// The most taps.
pub(super) const TAPS: usize = 256;
/// Taps of most products.
const FEW_TAPS: usize = 9;

/// Computes some of the rows, starting with the given one, in the columns of a panel.
///
/// # Safety
/// The machine must have the instruction set. The tile must meet the requirements of [`Microkernel`] for its rows;
/// [`BoundedRows::multiply`] says what the rows must meet.
pub(super) type Bounded = unsafe fn(&BoundedRows<'_>, usize, &Tile<'_>);

/// The functions of a member.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    /// The number of columns of a vector.
    pub(super) lanes: usize,
    /// Multiply bounded rows: `[v − 1][r − 1]` for `r` rows and `v` vectors of columns; of pairs and of fours.
    pub(super) bounded: &'static [&'static [[Bounded; 2]]],
    /// When copies pay.
    pub(super) copies: Worth,
    /// Multiply words: `[v − 1][r − 1]` for `r` rows with a pointer each, and `v` vectors of columns.
    pub(super) words: &'static [&'static [Microkernel]],
}

/// Computes a product.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`] and have at most [`TAPS`] taps.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn multiply(p: &Product, f: &Functions) {
    // SAFETY: the product is as `# Safety` requires; all its rows meet a bound where they are multiplied in place.
    unsafe {
        if p.k.is_multiple_of(4)
            && let Some(bound) = bound_of(p)
        {
            let rows = BoundedRows {
                a: p.a,
                pitch: p.rows,
                step: p.step,
                taps: p.taps,
                groups: p.k / 4,
                copies: None,
            };
            return match bound {
                Bound::Fours => rows.multiply(p, f, true),
                Bound::Pairs => rows.multiply(p, f, false),
            };
        }
        match p.taps <= FEW_TAPS {
            true => in_parts::<FEW_TAPS>(p, f),
            false => in_parts::<TAPS>(p, f),
        }
    }
}

/// Computes a product a few rows at a time, from copies or as words.
///
/// # Safety
/// As for [`multiply`], with at most `N` taps.
#[inline(never)] // The stack of many taps is only for these.
#[target_feature(enable = "avx2,fma")]
unsafe fn in_parts<const N: usize>(p: &Product, f: &Functions) {
    let mut pointers = [[core::ptr::null::<u8>(); WORD_ROWS]; N];
    let (row, most) = (p.taps * p.k.next_multiple_of(4), f.words[0].len().min(WORD_ROWS));
    let pays = row <= MOST && f.copies.pays(row, p.columns);
    let mut first = 0;
    while first < p.rows {
        let mut rows = ROWS.min(p.rows - first);
        // SAFETY: the product has these rows, and there is room for at most `N` taps of as many pointers; all else is
        // as `# Safety` requires.
        unsafe {
            let part = rows_of(p, first..first + rows, pointers.as_flattened_mut());
            let done = match row {
                _ if !pays => false,
                ..=SHORT => in_room::<{ ROWS * SHORT }>(&part, f),
                _ => in_room::<{ ROWS * MOST }>(&part, f),
            };
            if !done {
                // Rows that follow are mostly alike.
                rows = most.min(p.rows - first);
                let part = rows_of(p, first..first + rows, pointers.as_flattened_mut());
                panels(&part, f.lanes, f.words);
            }
        }
        first += rows;
    }
}

/// Some rows of a product, with a pointer for each row and tap.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`] and have these rows. There must be room for the
/// pointers.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn rows_of(p: &Product, rows: core::ops::Range<usize>, pointers: &mut [*const u8]) -> Product {
    for (tap, pointers) in pointers.chunks_exact_mut(rows.len()).enumerate().take(p.taps) {
        for (pointer, r) in pointers.iter_mut().zip(rows.clone()) {
            // SAFETY: the product has the tap and the row.
            *pointer = unsafe { row_of(p, tap, r) };
        }
    }
    Product {
        a: pointers.as_ptr(),
        step: 0,
        rows: rows.len(),
        c: p.c.wrapping_add(rows.start * p.stride),
        results: p.results.after(rows.start),
        ..*p
    }
}

/// Computes a product from copies, or returns false if words are faster.
///
/// # Safety
/// As for [`multiply`], with at most [`ROWS`] rows of at most `N / ROWS` bytes.
#[inline(never)] // The stack of long rows is only for these.
#[target_feature(enable = "avx2,fma")]
unsafe fn in_room<const N: usize>(p: &Product, f: &Functions) -> bool {
    #[repr(align(64))]
    struct Room<const N: usize>([MaybeUninit<u8>; N]);
    let mut bytes = Room([const { MaybeUninit::uninit() }; N]);
    let mut corrections = [const { MaybeUninit::uninit() }; CORRECTIONS];
    let groups = p.taps * p.k.div_ceil(4);
    let mut copies = Copies {
        bytes: &mut bytes.0,
        corrections: &mut corrections,
        count: 0,
        pitch: (4 * groups).next_multiple_of(BYTES),
        groups,
        offset: 0,
    };
    // SAFETY: rows are readable as `# Safety` requires. The copies have room for them: `N / ROWS` is a multiple of a
    // vector. Kernels run after a bound has succeeded.
    unsafe {
        let mean = mean(p);
        let (below, half) = (mean.saturating_sub(32), mean.saturating_sub(64));
        if mean <= 64 && copies.bound::<true>(p, 0) || below > 0 && copies.bound::<true>(p, below) {
            copies.multiply(p, f, true);
            return true;
        }
        if copies.bound::<false>(p, half) || half > 0 && mean <= 100 && copies.bound::<false>(p, 0) {
            copies.multiply(p, f, false);
            return true;
        }
    }
    false
}

/// Rows that meet a bound.
pub(super) struct BoundedRows<'r> {
    /// `[taps][pitch]` pointers to rows or, if there is a step, `[taps]` pointers to the first row.
    a: *const *const u8,
    pitch: usize,
    step: usize,
    taps: usize,
    /// The number of groups of a tap.
    groups: usize,
    /// The offset and the corrections, if the rows are copies.
    copies: Option<&'r Copies<'r>>,
}

impl BoundedRows<'_> {
    /// Multiplies the rows with all panels.
    ///
    /// # Safety
    /// The product must meet the requirements of [`multiply`]; all groups of the rows must be readable and meet the
    /// bound of fours or of pairs.
    unsafe fn multiply(&self, p: &Product, f: &Functions, fours: bool) {
        each_panel(p, f.lanes, f.bounded.len(), |vectors, panel| {
            let by_rows = f.bounded[vectors - 1];
            for first in (0..p.rows).step_by(by_rows.len()) {
                let product = Product { rows: by_rows.len().min(p.rows - first), ..*p };
                let tile = Tile {
                    product: &product,
                    results: panel.results.after(first),
                    c: panel.c.wrapping_add(first * p.stride),
                    ..panel
                };
                // SAFETY: the tile has the number of vectors and rows that the function is for; all else is as `#
                // Safety` requires.
                unsafe { by_rows[product.rows - 1][usize::from(fours)](self, first, &tile) }
            }
        });
    }

    /// The `R` rows starting at `first`, of the tap that `a` points to. Advances `a` to the next tap.
    ///
    /// # Safety
    /// There must be such rows and such a tap.
    #[inline(always)]
    unsafe fn of_tap<const R: usize>(&self, a: &mut *const *const u8, first: usize) -> [*const u8; R] {
        let mut rows = [core::ptr::null::<u8>(); R];
        // SAFETY: there is a pointer for each row, or one for the tap.
        unsafe {
            if self.step == 0 {
                for r in 0..R {
                    rows[r] = *a.add(first + r);
                }
                *a = a.wrapping_add(self.pitch);
            } else {
                let start = (**a).wrapping_add(first * self.step);
                for r in 0..R {
                    rows[r] = start.wrapping_add(r * self.step);
                }
                *a = a.wrapping_add(1);
            }
        }
        rows
    }
}

/// Computes `R` rows, starting with row `first`, by `V` vectors of columns.
///
/// # Safety
/// As for [`Bounded`], with `R` rows and `V` vectors.
#[inline(always)]
pub(super) unsafe fn tile<D: Pairs, const FOURS: bool, const R: usize, const V: usize>(
    d: D,
    bounded: &BoundedRows<'_>,
    first: usize,
    t: &Tile<'_>,
    write: Write<D, V>,
) {
    let (mut a, mut w) = (bounded.a, t.weights.wrapping_add(V * D::WEIGHTS));
    // SAFETY: there are pointers for each tap and row, and all groups are readable; the panel has weights for each;
    // `write` gets sums for all rows of the tile.
    unsafe {
        let mut sums = match bounded.copies {
            Some(copies) => copies.starts::<D, R, V>(d, t),
            None => [[d.ints().splat_i32(0); V]; R],
        };
        for _ in 0..bounded.taps {
            let rows = bounded.of_tap::<R>(&mut a, first);
            let mut group = 0;
            while FOURS && group + 2 <= bounded.groups {
                add::<D, 2, R, V>(d, &mut sums, rows.map(|row| row.add(4 * group)), w);
                w = w.add(2 * V * D::WEIGHTS);
                group += 2;
            }
            while group < bounded.groups {
                add::<D, 1, R, V>(d, &mut sums, rows.map(|row| row.add(4 * group)), w);
                w = w.add(V * D::WEIGHTS);
                group += 1;
            }
        }
        body::finish::<D, R, V>(d, &sums, t, write);
    }
}

/// Adds the products of `N` groups of each row.
///
/// # Safety
/// Four bytes per group of each row, and the weights of the groups, must be readable.
#[inline(always)]
unsafe fn add<D: Pairs, const N: usize, const R: usize, const V: usize>(
    d: D,
    sums: &mut [[Sum<D>; V]; R],
    rows: [*const u8; R],
    w: *const u8,
) {
    // SAFETY: `# Safety` requires that the bytes and weights are readable.
    unsafe {
        let w: [[D::W; N]; V] =
            std::array::from_fn(|v| std::array::from_fn(|i| d.weights(w.add((i * V + v) * D::WEIGHTS))));
        for r in 0..R {
            let four = |i: usize| d.spread(rows[r].add(4 * i).cast::<u32>().read_unaligned());
            let a: [D::A; N] = std::array::from_fn(four);
            for v in 0..V {
                sums[r][v] = d.sum_of_pairs(sums[r][v], a, w[v]);
            }
        }
    }
}

impl Copies<'_> {
    /// Multiplies the copies with all panels.
    ///
    /// # Safety
    /// The product must meet the requirements of [`multiply`], and [`bound`](Self::bound) must have copied its rows.
    unsafe fn multiply(&self, p: &Product, f: &Functions, fours: bool) {
        let first = self.bytes.as_ptr().cast::<u8>();
        let pointers: [*const u8; ROWS] = std::array::from_fn(|r| first.wrapping_add(r * self.pitch));
        let (groups, copies) = (self.groups, Some(self));
        let rows = BoundedRows { a: pointers.as_ptr(), pitch: ROWS, step: 0, taps: 1, groups, copies };
        // SAFETY: the copies have all groups of a row, which meet the bound; all else is as `# Safety` requires.
        unsafe { rows.multiply(p, f, fours) }
    }

    /// The initial sums of rows: the products of the offset and of the corrections.
    ///
    /// # Safety
    /// The tile must meet the requirements of [`super::Microkernel`] for `R` rows of the copies.
    #[inline(always)]
    unsafe fn starts<D: Pairs, const R: usize, const V: usize>(
        &self,
        d: D,
        t: &Tile<'_>,
    ) -> [[Sum<D>; V]; R] {
        let (s, zero) = (d.ints(), d.ints().splat_i32(0));
        let weights = t.weights.wrapping_add(V * D::WEIGHTS);
        let mut starts = [[zero; V]; R];
        // SAFETY: the panel starts with `V` vectors of sums, then has `V` vectors of weights for each group, of which
        // corrections name one. The first `count` corrections are written, for rows of the product.
        unsafe {
            if self.offset != 0 {
                for v in 0..V {
                    let sums = s.load_i32(t.weights.add(v * D::WEIGHTS).cast());
                    let start = s.mul_i32(sums, s.splat_i32(self.offset.into()));
                    for r in 0..R {
                        starts[r][v] = start;
                    }
                }
            }
            if self.count == 0 {
                return starts;
            }
            // In memory, since the rows of corrections are known only at run time.
            let rows = core::hint::black_box(&mut starts);
            for correction in &self.corrections[..self.count] {
                let Correction { group, row, is_below, four } = correction.assume_init();
                let (four, row) = (d.spread(four), &mut rows[usize::from(row) % R]);
                for v in 0..V {
                    let weights = d.weights(weights.add((group as usize * V + v) * D::WEIGHTS));
                    row[v] = match is_below {
                        true => s.sub_i32(row[v], d.sum_of_pairs(zero, [four], [weights])),
                        false => d.sum_of_pairs(row[v], [four], [weights]),
                    };
                }
            }
            *rows
        }
    }
}
