//! Products where only words can be multiplied exactly: rows of bytes become rows of words first, once for all panels.
//!
//! ```text
//! rows of taps           words, in room of this call         panel: a number per column, then per group of four lines
//! ┌ k ┐┌ k ┐ …   ─►   row 0: │ tap 0 │ tap 1 │ …             lines 2 and 3 of all columns, side by side, lines 0 and 1;
//!                     row 1: │ …                             lines past k are zero
//! rows that overlap, or lie side by side:
//! │ row 0 │                tap 0: │ row 0 │
//!   │ row 1 │         ─►            │ row 1 │                all bytes once
//!
//! a₀ w₀ + a₁ w₁ + a₂ w₂ + a₃ w₃ = (a₀ + w₂) (a₂ + w₀) + (a₁ + w₃) (a₃ + w₁) − (a₀ a₂ + a₁ a₃) − (w₀ w₂ + w₁ w₃)
//!                                                                             └ row's term ┘   └ panel's number ┘
//! ```
//! Where the room is too small for all lines, each panel takes them part by part: sums of one part are what the next one starts with.

// Indices are constants once loops over rows and vectors are unrolled: so sums stay in registers.
#![allow(clippy::needless_range_loop)]

use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::null;

use super::body::{self, Rows, Strip, first};
use super::{COLUMNS, Gemm, Matrix, Product, Reach, Results, Tile, panel, panels};
use crate::isa::Isa;
use crate::kernels::family::best;
use crate::simd::{Words as Arithmetic, *};

/// Words of the room: rows of a tile that are not so long stay in a first-level cache.
const ROOM: usize = 3 << 13;
/// Words that are room enough for small products.
const LITTLE: usize = 1 << 12;
/// Words between rows, so that they do not fall on the same lines of a cache.
const SKEW: usize = 32;
/// Bytes from one row to the next that need no words between.
const NEAR: usize = 512;
/// Most taps of rows that overlap.
const TAPS: usize = 16;
/// Most rows of a product.
const ROWS: usize = 10;
/// Bytes of four words.
const FOUR: usize = 4 * size_of::<i16>();

/// What sums begin with: a vector of numbers per vector of columns, and so many vectors on, of the next row; and each row's term.
#[derive(Clone, Copy)]
pub(super) struct Starts {
    columns: *const i32,
    step: usize,
    terms: *const i32,
}

impl Starts {
    /// Of bytes.
    pub const NONE: Starts = Starts { columns: null(), step: 0, terms: null() };

    /// Of the columns of a panel that begins with them.
    pub fn of(panel: *const u8, terms: *const i32) -> Starts {
        Starts { columns: panel.cast(), step: 0, terms }
    }
}

/// How rows become words. To be called where the machine has the instruction set; what is read is readable, what is written writable.
pub(super) struct Widening {
    /// Writes some groups of four bytes of all rows of a product as words, the rows so many words apart; and their terms.
    apart: unsafe fn(&Product, &Range<usize>, *mut i16, usize, &mut [i32; ROWS]),
    /// Writes the bytes of all rows, which overlap or lie side by side, once; the taps so many words apart; and the rows' terms.
    near: unsafe fn(&Product, *mut i16, usize, &mut [i32; ROWS]),
    /// The term of a row of so many fours of words.
    term: unsafe fn(*const i16, usize) -> i32,
}

/// Writes `n` bytes as words, and zeros up to the next multiple of four; adds the term to `sum`, and what is left of it to the result.
///
/// # Safety
/// `n` bytes are readable, and as many words writable, rounded up.
#[inline(always)]
unsafe fn line<S: Arithmetic, const WRITE: bool>(
    s: S,
    from: *const u8,
    n: usize,
    to: *mut i16,
    sum: S::I,
) -> (S::I, i32) {
    let (mut i, mut sum, mut rest) = (0, sum, 0i32);
    // SAFETY: the caller's promise.
    unsafe {
        while i + 2 * S::LANES <= n {
            let words = s.words(from.add(i));
            sum = s.add_neighbours(sum, words);
            if WRITE {
                s.store_words(to.add(i), words);
            }
            i += 2 * S::LANES;
        }
        while i < n {
            let at = from.add(i);
            let four = if i + 4 <= n { at.cast::<u32>().read_unaligned() } else { first(at, n - i) };
            let [a, b, c, d] = four.to_le_bytes().map(i32::from);
            rest = rest.wrapping_add(a * c + b * d);
            if WRITE {
                to.add(i).cast::<[i16; 4]>().write_unaligned([a, b, c, d].map(|word| word as i16));
            }
            i += 4;
        }
    }
    (sum, rest)
}

/// As [`Widening::apart`].
#[inline(always)]
unsafe fn widen_apart<S: Arithmetic>(
    s: S,
    p: &Product,
    groups: &Range<usize>,
    to: *mut i16,
    step: usize,
    terms: &mut [i32; ROWS],
) {
    let per_tap = p.k.div_ceil(4);
    let begin = match groups.start {
        0 => (0, 0),
        start => (start / per_tap, start % per_tap),
    };
    for (r, term) in terms.iter_mut().enumerate().take(p.rows) {
        let (mut to, mut done, (mut tap, mut at)) = (to.wrapping_add(r * step), groups.start, begin);
        let (mut sum, mut all) = (s.splat_i32(0), 0i32);
        while done < groups.end {
            let count = (per_tap - at).min(groups.end - done);
            // SAFETY: the caller's promise: the tap's pointers, `k` bytes of the row, and `4 · count` words for each part of it.
            unsafe {
                let row = match p.step {
                    0 => *p.a.add(tap * p.rows + r),
                    apart => (*p.a.add(tap)).wrapping_add(r * apart),
                };
                let n = (p.k - 4 * at).min(4 * count);
                let rest;
                (sum, rest) = line::<S, true>(s, row.add(4 * at), n, to, sum);
                all = all.wrapping_sub(rest);
            }
            (to, done, tap, at) = (to.wrapping_add(4 * count), done + count, tap + 1, 0);
        }
        *term = all.wrapping_sub(s.total(sum));
    }
}

/// As [`Widening::near`]; `k` is a multiple of four.
#[inline(always)]
unsafe fn widen_near<S: Arithmetic>(s: S, p: &Product, to: *mut i16, step: usize, terms: &mut [i32; ROWS]) {
    let nothing = s.splat_i32(0);
    // SAFETY: the caller's promise: bytes between rows are those of rows.
    unsafe {
        for tap in 0..p.taps {
            let n = (p.rows - 1) * p.step + p.k;
            line::<S, true>(s, *p.a.add(tap), n, to.wrapping_add(tap * step), nothing);
        }
        for (r, term) in terms.iter_mut().enumerate().take(p.rows) {
            let (mut sum, mut all) = (nothing, 0i32);
            for tap in 0..p.taps {
                let rest;
                (sum, rest) = line::<S, false>(s, (*p.a.add(tap)).add(r * p.step), p.k, to, sum);
                all = all.wrapping_sub(rest);
            }
            *term = all.wrapping_sub(s.total(sum));
        }
    }
}

/// As [`Widening::term`].
#[inline(always)]
unsafe fn term<S: Arithmetic>(s: S, row: *const i16, fours: usize) -> i32 {
    let (mut sum, mut rest, mut i) = (s.splat_i32(0), 0i32, 0);
    // SAFETY: the caller's promise.
    unsafe {
        while 2 * (i + S::LANES / 2) <= 2 * fours {
            sum = s.add_neighbours(sum, s.load_i32(row.add(4 * i).cast()));
            i += S::LANES / 2;
        }
        while i < fours {
            let [a, b, c, d] = row.add(4 * i).cast::<[i16; 4]>().read_unaligned().map(i32::from);
            rest = rest.wrapping_add(a * c + b * d);
            i += 1;
        }
    }
    rest.wrapping_add(s.total(sum)).wrapping_neg()
}

/// `R` rows of words at steps by `V` vectors of columns.
///
/// # Safety
/// That of [`super::Microkernel`]; `k` is a multiple of the bytes of four words.
#[inline(always)]
unsafe fn tile<S: Arithmetic, const R: usize, const V: usize>(s: S, t: &Tile<'_>, write: body::Write<S, V>) {
    let (p, starts, mut w) = (t.product, t.starts, t.weights);
    let mut sums = [[s.splat_i32(0); V]; R];
    let mut a = p.a;
    let width = S::LANES * size_of::<i32>();
    // SAFETY: the caller's promise covers each row of each tap, the panel's groups, and what sums begin with.
    unsafe {
        for r in 0..R {
            let term = s.splat_i32(*starts.terms.add(r));
            for v in 0..V {
                let column = starts.columns.add((r * starts.step + v) * S::LANES);
                sums[r][v] = s.add_i32(s.load_i32(column), term);
            }
        }
        for _ in 0..p.taps {
            let mut rows = <Strip as Rows<R>>::of(&mut a, p.step);
            for _ in 0..p.k / FOUR {
                let b: [[S::I; 2]; V] =
                    std::array::from_fn(|v| [0, V].map(|half| s.load_i32(w.add((half + v) * width).cast())));
                let at: [*const u8; R] = rows.at(0);
                for r in 0..R {
                    let a = [0, 1].map(|half| s.splat_i32(at[r].cast::<i32>().add(half).read_unaligned()));
                    for v in 0..V {
                        sums[r][v] = s.add_products(sums[r][v], a, b[v]);
                    }
                }
                rows = <Strip as Rows<R>>::after(rows, FOUR / 4);
                w = w.add(2 * V * width);
            }
        }
        body::finish::<S, R, V>(&sums, t, write);
    }
}

/// Computes a product.
///
/// # Safety
/// That of [`Gemm::multiply`]; `gemm` multiplies words, of which `widening` makes rows.
pub(super) unsafe fn multiply(gemm: &Gemm, widening: &Widening, p: &Product) {
    let near = (p.rows - 1) * p.step + p.k + SKEW;
    let words = p.taps * p.k.next_multiple_of(4) + 2 * SKEW;
    let is_near = (1..=p.k.min(NEAR)).contains(&p.step) && p.k.is_multiple_of(4) && p.taps <= TAPS;
    // SAFETY: the caller's promise; the words fit into the room.
    unsafe {
        if is_near && p.taps * near <= LITTLE {
            near_rows(gemm, widening, p);
        } else if p.rows * words <= LITTLE {
            apart_rows::<LITTLE>(gemm, widening, p);
        } else if p.rows * words <= ROOM {
            apart_rows::<ROOM>(gemm, widening, p);
        } else {
            by_parts(gemm, widening, p);
        }
    }
}

/// The product of rows that are near one another.
///
/// # Safety
/// That of [`multiply`]; there is room.
#[inline(never)] // Its room is not that of others.
unsafe fn near_rows(gemm: &Gemm, widening: &Widening, p: &Product) {
    let mut room = MaybeUninit::<[i16; LITTLE]>::uninit();
    let (room, mut terms) = (room.as_mut_ptr().cast::<i16>(), [0; ROWS]);
    let apart = ((p.rows - 1) * p.step + p.k).next_multiple_of(4);
    let mut taps = [room.cast_const().cast::<u8>(); TAPS];
    for (tap, a) in taps[..p.taps].iter_mut().enumerate() {
        *a = a.wrapping_add(tap * apart * size_of::<i16>());
    }
    let (k, step) = (p.k * size_of::<i16>(), p.step * size_of::<i16>());
    let words = Product { a: taps.as_ptr(), step, k, reach: Reach::Exact, ..*p };
    // SAFETY: the caller's promise; rows end inside their tap's words.
    unsafe {
        (widening.near)(p, room, apart, &mut terms);
        panels(&words, terms.as_ptr(), gemm.lanes, gemm.by_vectors);
    }
}

/// The product of rows anywhere, in room for `N` words.
///
/// # Safety
/// That of [`multiply`]; there is room.
#[inline(never)] // Its room is not that of others.
unsafe fn apart_rows<const N: usize>(gemm: &Gemm, widening: &Widening, p: &Product) {
    let groups = p.taps * p.k.div_ceil(4);
    let step = (4 * groups).next_multiple_of(SKEW) + SKEW;
    let mut room = MaybeUninit::<[i16; N]>::uninit();
    let (room, mut terms) = (room.as_mut_ptr().cast::<i16>(), [0; ROWS]);
    let a = room.cast_const().cast::<u8>();
    // SAFETY: the caller's promise.
    unsafe {
        (widening.apart)(p, &(0..groups), room, step, &mut terms);
        let words = of_words(p, &raw const a, step, groups);
        panels(&words, terms.as_ptr(), gemm.lanes, gemm.by_vectors);
    }
}

/// The product with rows of words, `step` words apart.
fn of_words(p: &Product, a: *const *const u8, step: usize, groups: usize) -> Product {
    let step = step * size_of::<i16>();
    Product { a, step, taps: 1, k: groups * FOUR, reach: Reach::Exact, ..*p }
}

/// As [`multiply`], of more lines than the room has words for.
///
/// # Safety
/// As there.
#[cold]
unsafe fn by_parts(gemm: &Gemm, widening: &Widening, p: &Product) {
    let groups = p.taps * p.k.div_ceil(4);
    let mut room = MaybeUninit::<[i16; ROOM]>::uninit();
    let (room, mut terms) = (room.as_mut_ptr().cast::<i16>(), [0; ROWS]);
    let a = room.cast_const().cast::<u8>();
    let step = ROOM / p.rows / SKEW * SKEW;
    let part = (step - SKEW) / 4;
    let mut sums = [0i32; ROWS * COLUMNS];
    for from in (0..p.columns).step_by(gemm.nr()) {
        let width = gemm.panel_width(from, p.columns);
        let panel = p.weights.wrapping_add(from * p.column_bytes);
        let mut starts = Starts::of(panel, terms.as_ptr());
        for done in (0..groups).step_by(part) {
            let end = groups.min(done + part);
            // SAFETY: the caller's promise; a part of the rows fits into the room.
            unsafe { (widening.apart)(p, &(done..end), room, step, &mut terms) };
            let words = of_words(p, &raw const a, step, end - done);
            let (product, results, c) = if end == groups {
                let results = p.results.from(from / gemm.lanes, gemm.lanes);
                (words, results, p.c.wrapping_add(from * p.results.size()))
            } else {
                let stride = width * size_of::<i32>();
                (Product { stride, ..words }, Results::Sums, sums.as_mut_ptr().cast())
            };
            let tile = Tile {
                product: &product,
                weights: panel.wrapping_add(width * (size_of::<i32>() + done * gemm.group_bytes)),
                starts,
                results,
                c,
                columns: width.min(p.columns - from),
            };
            // SAFETY: as above; the panel has the groups, and the sums of a tile their room.
            unsafe { gemm.by_vectors[width / gemm.lanes - 1][p.rows - 1](&tile) };
            starts = Starts { columns: sums.as_ptr(), step: width / gemm.lanes, ..starts };
        }
    }
}

/// A member that multiplies words, for rows that are words.
#[derive(Clone, Copy)]
pub struct Words(&'static Gemm);

impl Words {
    /// The best member on this machine that needs nothing beyond `isa`.
    pub fn select(isa: Isa) -> Words {
        Words(best(TABLE, isa))
    }

    /// As in `u8i8_gemm_4x16__avx2`.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Most rows of a product.
    pub fn mr(&self) -> usize {
        self.0.mr
    }

    /// Columns of the widest panel.
    pub fn nr(&self) -> usize {
        self.0.nr()
    }

    /// Bytes of a panel, per column.
    pub fn column_bytes(&self, k: usize) -> usize {
        self.0.column_bytes(1, k)
    }

    /// Words that packed weights take.
    pub fn packed_len(&self, k: usize, columns: usize) -> usize {
        self.0.packed_len(1, k, columns) / size_of::<i16>()
    }

    /// Where the word of a column and line lies in packed weights of `k` lines and so many columns.
    pub fn at(&self, (k, columns): (usize, usize), column: usize, line: usize) -> usize {
        let from = column - column % self.nr();
        let width = self.0.panel_width(from, columns);
        let pair = 2 * (line / 4) + 1 - line % 4 / 2;
        let words = self.column_bytes(k) / size_of::<i16>();
        from * words + 2 * ((pair + 1) * width + column - from) + line % 2
    }

    /// Writes what panels begin with, when all words are there.
    pub fn start(&self, (k, columns): (usize, usize), packed: &mut [i16]) {
        for column in 0..columns {
            let word = |line: usize| i32::from(packed[self.at((k, columns), column, line)]);
            let products = (0..k).filter(|line| line % 4 < 2).map(|line| word(line) * word(line + 2));
            let start = products.fold(0i32, |sum, product| sum.wrapping_sub(product));
            let first = column - column % self.nr();
            let from = first * self.column_bytes(k) / size_of::<i16>() + 2 * (column - first);
            packed[from..][..2].copy_from_slice(&[start as i16, (start >> 16) as i16]);
        }
    }

    /// What the sums of a row of `k` words begin with.
    ///
    /// # Safety
    /// The machine has the instruction set; the row is readable.
    pub unsafe fn term(&self, row: *const i16, k: usize) -> i32 {
        // SAFETY: the caller's promise.
        self.0.widening.as_ref().map_or(0, |widening| unsafe { (widening.term)(row, k / 4) })
    }

    /// Computes a product. Its rows are of `2 k` bytes, a multiple of eight, and each has its term.
    ///
    /// # Safety
    /// That of [`Gemm::multiply`], with weights that lie as [`at`](Self::at) tells; there is a step.
    pub unsafe fn multiply(&self, p: &Product, terms: &[i32]) {
        debug_assert!(p.rows <= terms.len() && p.k.is_multiple_of(FOUR));
        // SAFETY: the caller's promise.
        unsafe { panels(p, terms.as_ptr(), self.0.lanes, self.0.by_vectors) };
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, $mr:literal, [$($r:literal)*]) => {
        Gemm {
            name: $name,
            isa: $isa,
            mr: $mr,
            lanes: <$t>::LANES,
            group_bytes: FOUR,
            offset: 0,
            groups: 1,
            pack_columns: pack,
            widening: Some(Widening { apart, near, term }),
            by_vectors: &[&[$(strip::<$r, 1>),*], &[$(strip::<$r, 2>),*]],
            strips: &[],
            tiles: None,
        }
    };
}

family! {
    Gemm: "u8i8_gemm" {
        fn pack(matrix: &Matrix, width: usize, to: *mut u8) -> [i32; COLUMNS] {
            panel::pack::<0, true>(matrix, width, to)
        };
        #[inline(never)]
        fn write[V: usize](sums: &[[<T as Ints>::I; V]], tile: &Tile<'_>) {
            body::write_rows(T::new(), sums, tile)
        };
        fn strip[R: usize, V: usize](t: &Tile<'_>) {
            tile::<T, R, V>(T::new(), t, write::<V>)
        };
        fn apart(p: &Product, groups: &Range<usize>, to: *mut i16, step: usize, terms: &mut [i32; ROWS]) {
            widen_apart(T::new(), p, groups, to, step, terms)
        };
        fn near(p: &Product, to: *mut i16, step: usize, terms: &mut [i32; ROWS]) {
            widen_near(T::new(), p, to, step, terms)
        };
        fn term(row: *const i16, fours: usize) -> i32 {
            super::term(T::new(), row, fours)
        };
    }
    scalar("_2x8" Scalar, 2, [1 2]);
    avx2("_4x16" Avx2, 4, [1 2 3 4]);
    avx512("_10x32" Avx512, 10, [1 2 3 4 5 6 7 8 9 10]);
}

/// The lines of the table, for the one of all members.
pub(super) const SCALAR: Gemm = scalar::MEMBER;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
pub(super) const AVX2: Gemm = avx2::MEMBER;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(super) const AVX512: Gemm = avx512::MEMBER;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::family::available;
    use crate::kernels::random::Random;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_sums(fours in 1usize..23, columns in 1usize..70, more in 0usize..3, seed: u64) {
            let (k, mut random) = (4 * fours, Random::new(seed));
            let mut word = |most: i32| (random.next() as i32 % (2 * most + 1) - most) as i16;
            let columns = columns.next_multiple_of(16);
            for member in available(TABLE).map(Words) {
                let step = k + more;
                let a: Vec<i16> = (0..member.0.mr * step).map(|_| word(1020)).collect();
                let w: Vec<i16> = (0..columns * k).map(|_| word(1152)).collect();
                let mut packed = vec![0i16; member.packed_len(k, columns)];
                for (j, i) in (0..columns).flat_map(|j| (0..k).map(move |i| (j, i))) {
                    packed[member.at((k, columns), j, i)] = w[j * k + i];
                }
                member.start((k, columns), &mut packed);
                // SAFETY: available; rows are those of the vector.
                let term = |r: usize| unsafe { member.term(a[r * step..].as_ptr(), k) };
                let terms: Vec<i32> = (0..member.0.mr).map(term).collect();
                for rows in 1..=member.0.mr {
                    let (stride, first) = (columns + 5, a.as_ptr().cast::<u8>());
                    let mut c = vec![7i32; rows * stride];
                    let product = Product {
                        a: &first,
                        step: step * size_of::<i16>(),
                        rows,
                        taps: 1,
                        k: k * size_of::<i16>(),
                        reach: Reach::Exact,
                        weights: packed.as_ptr().cast(),
                        column_bytes: member.column_bytes(k),
                        results: Results::Sums,
                        c: c.as_mut_ptr().cast(),
                        stride: stride * size_of::<i32>(),
                        columns,
                    };
                    // SAFETY: available; all lengths are those of the vectors above.
                    unsafe { member.multiply(&product, &terms) };
                    for (r, j) in (0..rows).flat_map(|r| (0..stride).map(move |j| (r, j))) {
                        let product = |i: usize| i32::from(a[r * step + i]) * i32::from(w[j * k + i]);
                        let want = if j < columns { (0..k).map(product).sum() } else { 7 };
                        prop_assert_eq!(c[r * stride + j], want, "{} row {} column {}", member.0.name, r, j);
                    }
                }
            }
        }
    }
}
