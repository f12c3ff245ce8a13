//! Multiplies rows with a panel, for [`split`](super::split). The sums of four rows become bytes while they are in
//! registers.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::body::{self, Sum, Write};
use super::bound::{Copies, Correction, Form};
use super::{Extent, Product, Results, Tile, ToBytes, each_panel};
use crate::requantize::{BIAS, Channels};
use crate::simd::dot::{Pairs, prefetch};
use crate::simd::{ByteRows, Ints};

/// The most rows of a tile.
pub(super) const ROWS: usize = 4;

/// Computes rows in the columns of a panel.
///
/// # Safety
/// The machine must have the instruction set. The tile must be valid for [`super::Microkernel`], and the rows for
/// [`RowsInPlace::multiply`].
pub(super) type Strip = unsafe fn(&RowsInPlace<'_>, &Tile<'_>);

/// The functions of a member.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    /// The number of columns of a vector.
    pub(super) lanes: usize,
    /// Multiply rows: `[v − 1][form]` for `v` vectors of columns.
    pub(super) strips: &'static [[Strip; 3]],
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
    /// The offset and the corrections, if the rows are copies.
    pub(super) copies: Option<&'r Copies<'r>>,
}

impl RowsInPlace<'_> {
    /// Multiplies the rows with all panels.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`]. Rows of bytes must have whole groups that
    /// meet the bound of their form.
    pub(super) unsafe fn multiply(&self, p: &Product, f: &Functions, form: Form) {
        // SAFETY: the function is for the number of vectors; all else is as `# Safety` requires.
        each_panel(p, f.lanes, f.strips.len(), |vectors, panel| unsafe {
            f.strips[vectors - 1][form as usize](self, &panel)
        });
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

/// Computes rows by `V` vectors of columns, with the products of `N` groups added before they are widened.
///
/// # Safety
/// As for [`Strip`], with `V` vectors.
#[inline(always)]
pub(super) unsafe fn strip<D: Pairs, const N: usize, const V: usize>(
    d: D,
    rows: &RowsInPlace<'_>,
    t: &Tile<'_>,
    write: Write<D, V>,
) {
    let s = d.ints();
    let to = match &t.results {
        Results::Bytes(to) if to.is_in_fours::<D::S, V>(t.columns) => Some(to),
        _ => None,
    };
    let mut first = 0;
    // SAFETY: the tile has these rows, and a block of channels per vector; all else is as `# Safety` requires.
    unsafe {
        let start = to.map_or([s.splat_i32(0); V], |to| biases::<D, V>(d, to));
        while first + ROWS <= t.rows {
            let sums = products::<D, N, ROWS, V>(d, rows, first, t, start);
            match to {
                Some(to) => s.convert_four_rows(&sums, to.channels, &to.bytes, results(t, first)),
                None => body::finish(d, &sums, &after(t, first, ROWS), write),
            }
            // If two or three rows are left, the last four rows are computed, one or two of them again.
            first = if (2..ROWS).contains(&(t.rows - first - ROWS)) { t.rows - ROWS } else { first + ROWS };
        }
        while first < t.rows {
            let sums = products::<D, N, 1, V>(d, rows, first, t, start);
            match to {
                Some(to) => {
                    s.convert_row(&sums[0], to.channels, &to.bytes, (results(t, first).first, t.columns))
                }
                None => body::finish(d, &sums, &after(t, first, 1), write),
            }
            first += 1;
        }
    }
}

/// The biases of `V` vectors of columns.
///
/// # Safety
/// There must be a block of channels per vector.
#[inline(always)]
unsafe fn biases<D: Pairs, const V: usize>(d: D, to: &ToBytes) -> [Sum<D>; V] {
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

/// The sums of `R` rows, starting with row `first`, and `V` vectors of columns, plus `start`.
///
/// # Safety
/// As for [`Strip`], with `V` vectors and these rows.
#[inline(always)]
unsafe fn products<D: Pairs, const N: usize, const R: usize, const V: usize>(
    d: D,
    from: &RowsInPlace<'_>,
    first: usize,
    t: &Tile<'_>,
    start: [Sum<D>; V],
) -> [[Sum<D>; V]; R] {
    let (mut a, mut w) = (from.a, t.weights.wrapping_add(V * D::WEIGHTS));
    let ahead = t.product.cached.ahead();
    let is_whole = !D::IN_WORDS || t.product.reach >= Extent::Groups;
    let (groups, rest) = if is_whole { (from.k.div_ceil(4), 0) } else { (from.k / 4, from.k % 4) };
    // SAFETY: there are pointers for each tap and row, of which `k` bytes are readable, or all groups; the panel has
    // weights for each.
    unsafe {
        let mut sums = match from.copies {
            Some(copies) => copies.starts::<D, R, V>(d, t, first, start),
            None => [start; R],
        };
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
        sums
    }
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
unsafe fn add<D: Pairs, const N: usize, const R: usize, const V: usize>(
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
        for v in 0..V {
            sums[r][v] = d.sum_of_pairs(sums[r][v], a, w[v]);
        }
    }
}

impl Copies<'_> {
    /// Adds the products of the offset and of the corrections to `start`, for each row.
    ///
    /// # Safety
    /// The tile must meet the requirements of [`super::Microkernel`] for `R` rows of the copies, starting with `first`.
    #[inline(always)]
    unsafe fn starts<D: Pairs, const R: usize, const V: usize>(
        &self,
        d: D,
        t: &Tile<'_>,
        first: usize,
        start: [Sum<D>; V],
    ) -> [[Sum<D>; V]; R] {
        let s = d.ints();
        let mut starts = [start; R];
        // SAFETY: the panel starts with `V` vectors of sums, then has the weights; all else is as `# Safety` requires.
        unsafe {
            if self.offset != 0 {
                for v in 0..V {
                    let sums = s.load_i32(t.weights.add(v * D::WEIGHTS).cast());
                    let start = s.add_i32(start[v], s.mul_i32(sums, s.splat_i32(self.offset.into())));
                    for row in &mut starts {
                        row[v] = start;
                    }
                }
            }
            if self.count > 0 {
                self.add_corrections(d, t.weights.wrapping_add(V * D::WEIGHTS), first, &mut starts);
            }
        }
        starts
    }

    /// Adds the products of the corrections to the sums of rows.
    ///
    /// # Safety
    /// There must be `V` vectors of weights for each group of the copies.
    #[inline(always)]
    unsafe fn add_corrections<D: Pairs, const R: usize, const V: usize>(
        &self,
        d: D,
        weights: *const u8,
        first: usize,
        sums: &mut [[Sum<D>; V]; R],
    ) {
        let (s, zero) = (d.ints(), d.ints().splat_i32(0));
        // In memory, since the rows of corrections are known only at run time.
        let rows = core::hint::black_box(sums);
        for correction in &self.corrections[..self.count] {
            // SAFETY: the first `count` corrections are written.
            let Correction { group, row, is_below, four } = unsafe { correction.assume_init() };
            let Some(row) = rows.get_mut(usize::from(row).wrapping_sub(first)) else { continue };
            let four = d.spread(four);
            for v in 0..V {
                // SAFETY: a correction names a group, and all groups have weights, as `# Safety` requires.
                let weights = unsafe { d.weights(weights.add((group as usize * V + v) * D::WEIGHTS)) };
                row[v] = match is_below {
                    true => s.sub_i32(row[v], d.sum_of_pairs(zero, [four], [weights])),
                    false => d.sum_of_pairs(row[v], [four], [weights]),
                };
            }
        }
    }
}
