//! Multiplies all rows of a product with a panel in one call. The sums of a few rows become bytes while they are in
//! registers, while the processor starts on the products of the next rows.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use core::ops::Range;

use super::body::{self, Sum, Write};
use super::bound::Form;
use super::choice::Choice;
use super::copies::Copies;
use super::{Extent, Product, Results, Tile, ToBytes, each_panel};
use crate::requantize::{BIAS, Channels};
use crate::simd::dot::{Dot, Dots, prefetch};
use crate::simd::{ByteRows, Ints};

/// The rows of a tile.
pub(super) const ROWS: usize = 4;

/// Computes rows in the columns of a panel.
///
/// # Safety
/// The machine must have the instruction set. The tile must be valid for [`super::Microkernel`], and the rows for
/// [`RowsInPlace::multiply`].
pub(super) type Strip = unsafe fn(&RowsInPlace<'_>, &Tile<'_>);

/// Copies rows of a product; see [`bound`](super::copies::bound).
///
/// # Safety
/// As for that function.
pub(super) type Bound = unsafe fn(&mut Copies<'_>, &Product, Range<usize>) -> usize;

/// The functions of a member.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    /// The number of columns of a vector.
    pub(super) lanes: usize,
    /// Multiply rows: `[v − 1]` for `v` vectors of columns.
    pub(super) strips: &'static [Strip],
    /// Chooses the form of copies; see [`choose`](super::choice::choose).
    pub(super) choose: unsafe fn(&Product, Range<usize>, usize) -> Choice,
    /// Copies have a multiple of this number of bytes.
    pub(super) pitch: usize,
    /// Make copies of rows in a form that is not words.
    pub(super) bound: [Bound; 4],
    /// When copies pay.
    pub(super) copies: Worth,
}

/// When copies of rows pay.
#[derive(Clone, Copy)]
pub(super) struct Worth {
    /// The least number of columns.
    pub(super) columns: usize,
    /// The least number of bytes of a row.
    pub(super) bytes: usize,
    /// The least number of products of a row.
    pub(super) products: usize,
}

impl Worth {
    /// Whether copies of rows of this size pay for this number of columns.
    pub(super) const fn pays(&self, bytes: usize, columns: usize) -> bool {
        columns >= self.columns && bytes >= self.bytes && bytes * columns >= self.products
    }
}

/// Rows that are multiplied where they are.
pub(super) struct RowsInPlace<'r> {
    /// `[taps][pitch]` pointers to rows or, if there is a step, `[taps]` pointers to the first row.
    pub(super) a: *const *const u8,
    pub(super) pitch: usize,
    /// The index of the first row.
    pub(super) first: usize,
    pub(super) step: usize,
    pub(super) taps: usize,
    /// The number of bytes of a tap.
    pub(super) k: usize,
    pub(super) form: Form,
    /// The offset and the corrections, if the rows are copies.
    pub(super) copies: Option<&'r Copies<'r>>,
}

impl RowsInPlace<'_> {
    /// The rows of a product.
    pub(super) fn of(p: &Product) -> RowsInPlace<'static> {
        let (a, step, taps, k) = (p.a, p.step, p.taps, p.k);
        RowsInPlace { a, pitch: p.rows, first: 0, step, taps, k, form: Form::Words, copies: None }
    }

    /// Multiplies the rows with all panels: `strips[v − 1]` is the function for `v` vectors of `lanes` columns.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`]. Rows of bytes must have whole groups that
    /// meet the bound of their form, if the functions have forms.
    #[inline(always)]
    pub(super) unsafe fn multiply(&self, p: &Product, lanes: usize, strips: &[Strip]) {
        // SAFETY: the function is for the number of vectors; all else is as `# Safety` requires.
        each_panel(p, lanes, strips.len(), |vectors, panel| unsafe { strips[vectors - 1](self, &panel) });
    }

    /// The `R` rows starting with row `first`, of the tap that `a` points to. Advances `a` to the next tap.
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

/// Computes rows by `V` vectors of columns. A tile has [`ROWS`] rows or, if many are left, up to `R`, which is 4, 6 or
/// 8; its sums are in registers.
///
/// # Safety
/// As for [`Strip`], with `V` vectors; if `R` is not [`ROWS`], the tile must have at least as many rows.
#[inline(always)]
pub(super) unsafe fn strip<F: Products, const R: usize, const V: usize>(
    f: F,
    rows: &RowsInPlace<'_>,
    t: &Tile<'_>,
    write: Write<F::D, V>,
) {
    let to = match &t.results {
        Results::Bytes(to) if to.is_in_registers::<<F::D as Dot>::S, V>(t.columns) => Some(to),
        _ => None,
    };
    let mut first = 0;
    // SAFETY: the tile has these rows, and a block of channels per vector; all else is as `# Safety` requires.
    unsafe {
        let d = f.dot();
        let mut start = to.map_or([d.ints().splat_i32(0); V], |to| biases::<F::D, V>(d, to));
        if let Some(copies) = rows.copies {
            copies.add_offset::<F::D, V>(d, t, &mut start);
        }
        while first + ROWS <= t.rows {
            let height = height::<R>(t.rows - first);
            if height == R {
                some::<F, R, V>(f, rows, (t, first), (to, start), write);
            } else if height == ROWS {
                some::<F, ROWS, V>(f, rows, (t, first), (to, start), write);
            } else if const { R == 6 } {
                some::<F, 5, V>(f, rows, (t, first), (to, start), write);
            }
            first += height;
            // If a few rows are left, the last four rows are computed, some of them again.
            let few = if R > ROWS { 1..ROWS } else { 2..ROWS };
            if few.contains(&(t.rows - first)) {
                first = t.rows - ROWS;
            }
        }
        while R == ROWS && first < t.rows {
            some::<F, 1, V>(f, rows, (t, first), (to, start), write);
            first += 1;
        }
    }
}

/// The number of rows of the next tile, at most `R`, when `left` rows remain, at least [`ROWS`]. With tiles of six, no
/// row is computed twice unless seven remain.
#[inline(always)]
fn height<const R: usize>(left: usize) -> usize {
    match (R, left) {
        (6, 5 | 9 | 10 | 13) => 5,
        (6, 6 | 11..) => 6,
        (8, 8 | 12..) => 8,
        _ => ROWS,
    }
}

/// Computes `R` rows from row `first` on, with these initial sums.
///
/// # Safety
/// As for [`strip`]. The tile must have these rows.
#[inline(always)]
unsafe fn some<F: Products, const R: usize, const V: usize>(
    f: F,
    rows: &RowsInPlace<'_>,
    (t, first): (&Tile<'_>, usize),
    (to, start): (Option<&ToBytes>, [Sum<F::D>; V]),
    write: Write<F::D, V>,
) {
    // SAFETY: the tile has these rows and, if results are bytes, a term per row or none; all else is as `# Safety`
    // requires.
    unsafe {
        let d = f.dot();
        let mut starts = [start; R];
        if let Some(to) = to.filter(|to| !to.row_terms.is_null()) {
            for r in 0..R {
                let term = d.ints().splat_i32(*to.row_terms.add(first + r));
                starts[r] = start.map(|sum| d.ints().add_i32(sum, term));
            }
        }
        let sums = f.products::<R, V>(rows, first, t, starts);
        match to {
            Some(to) => d.ints().convert_rows(&sums, to.channels, &to.bytes, results(t, first)),
            None => body::finish(d, &sums, &after(t, first, R), write),
        }
    }
}

/// The biases of `V` vectors of columns.
///
/// # Safety
/// There must be a block of channels per vector.
#[inline(always)]
unsafe fn biases<D: Dots, const V: usize>(d: D, to: &ToBytes) -> [Sum<D>; V] {
    let mut biases = [d.ints().splat_i32(0); V];
    for v in 0..V {
        // SAFETY: as `# Safety` requires.
        biases[v] =
            unsafe { d.ints().load_i32(to.channels.add(v * Channels::stride(D::LANES) + BIAS).cast()) };
    }
    biases
}

/// The results of a tile from row `first` on.
#[inline(always)]
fn results(t: &Tile<'_>, first: usize) -> ByteRows {
    let step = t.product.stride;
    ByteRows { first: t.c.wrapping_add(first * step), step, columns: t.columns }
}

/// Some rows of a tile.
#[inline(always)]
fn after<'t>(t: &Tile<'t>, first: usize, rows: usize) -> Tile<'t> {
    Tile { rows, results: t.results.after(first), c: t.c.wrapping_add(first * t.product.stride), ..*t }
}

/// The products of a member.
pub(super) trait Products: Copy {
    /// The products whose vectors hold the sums.
    type D: Dots;

    /// A value.
    fn dot(self) -> Self::D;
    /// The sums of `R` rows, starting with row `first`, and `V` vectors of columns, plus `starts`.
    ///
    /// # Safety
    /// As for [`Strip`], with `V` vectors and these rows.
    unsafe fn products<const R: usize, const V: usize>(
        self,
        from: &RowsInPlace<'_>,
        first: usize,
        t: &Tile<'_>,
        starts: [[Sum<Self::D>; V]; R],
    ) -> [[Sum<Self::D>; V]; R];
}

/// Products that need no form.
#[derive(Clone, Copy)]
pub(super) struct OneForm<D>(pub(super) D);

impl<D: Dots> Products for OneForm<D> {
    type D = D;

    #[inline(always)]
    fn dot(self) -> D {
        self.0
    }
    #[inline(always)]
    unsafe fn products<const R: usize, const V: usize>(
        self,
        from: &RowsInPlace<'_>,
        first: usize,
        t: &Tile<'_>,
        starts: [[Sum<D>; V]; R],
    ) -> [[Sum<D>; V]; R] {
        // SAFETY: as `products` requires.
        unsafe { taps::<D, 1, R, V>(self.0, from, first, t, starts) }
    }
}

/// The sums of `R` rows, with the products of `N` groups added before they are widened.
///
/// # Safety
/// As for [`Products::products`].
#[inline(always)]
pub(super) unsafe fn taps<D: Dots, const N: usize, const R: usize, const V: usize>(
    d: D,
    from: &RowsInPlace<'_>,
    first: usize,
    t: &Tile<'_>,
    mut sums: [[Sum<D>; V]; R],
) -> [[Sum<D>; V]; R] {
    let (mut a, mut w) = (from.a, t.weights.wrapping_add(V * D::BEFORE));
    let ahead = t.product.cached.ahead();
    let is_whole = const { D::BEFORE > 0 && !D::IN_WORDS } || t.product.reach >= Extent::Groups;
    let (groups, rest) = if is_whole { (from.k.div_ceil(4), 0) } else { (from.k / 4, from.k % 4) };
    // SAFETY: there are pointers for each tap and row, of which `k` bytes are readable, or all groups; the panel has
    // weights for each.
    unsafe {
        for _ in 0..from.taps {
            let rows = from.of_tap::<R>(&mut a, from.first + first);
            let mut group = 0;
            while N > 1 && group + N <= groups {
                add::<D, N, R, V>(d, &mut sums, |r, i| word(rows[r].add(4 * (group + i))), w, ahead);
                w = w.add(N * V * D::WEIGHTS);
                group += N;
            }
            while group < groups {
                add::<D, 1, R, V>(d, &mut sums, |r, _| word(rows[r].add(4 * group)), w, ahead);
                w = w.add(V * D::WEIGHTS);
                group += 1;
            }
            if rest > 0 {
                add::<D, 1, R, V>(d, &mut sums, |r, _| body::first(rows[r].add(4 * group), rest), w, 0);
                w = w.add(V * D::WEIGHTS);
            }
        }
    }
    sums
}

/// Four bytes.
///
/// # Safety
/// They must be readable.
#[inline(always)]
unsafe fn word(bytes: *const u8) -> u32 {
    // SAFETY: as `# Safety` requires.
    unsafe { bytes.cast::<u32>().read_unaligned() }
}

/// Adds the products of `N` groups of each row; `four(r, i)` returns the bytes of group `i` of row `r`. Prefetches the
/// weights `ahead` bytes after these, unless that is 0.
///
/// # Safety
/// The weights of the groups must be readable.
#[inline(always)]
unsafe fn add<D: Dots, const N: usize, const R: usize, const V: usize>(
    d: D,
    sums: &mut [[Sum<D>; V]; R],
    four: impl Fn(usize, usize) -> u32,
    w: *const u8,
    ahead: usize,
) {
    if ahead > 0 {
        prefetch::<D, R>(d.ints(), w, N * V * D::WEIGHTS, ahead);
    }
    // SAFETY: `# Safety` requires that the weights of `N` groups and `V` vectors are readable.
    let weights = |v: usize, i: usize| unsafe { d.weights(w.add((i * V + v) * D::WEIGHTS)) };
    let w: [[D::W; N]; V] = std::array::from_fn(|v| std::array::from_fn(|i| weights(v, i)));
    for r in 0..R {
        let a: [D::A; N] = std::array::from_fn(|i| d.spread(four(r, i)));
        d.dot_all_row(&mut sums[r], a, w);
    }
}
