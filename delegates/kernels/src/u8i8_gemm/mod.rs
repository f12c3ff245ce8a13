//! Products of rows of `u8` with packed `i8` weights: convolutions and matrix products of quantized tensors.
//!
//! ```text
//! rows of a: one pointer per row and tap          panel: width = vectors × lanes columns
//!   tap 0: ┌ k ┐  row 0                             ┌─ tap 0, k ──┐ ⌈k / 4⌉ groups:
//!          └───┘  row 1 …                           │             │   four lines, those of a column side by side;
//!   tap 1: ┌ k ┐  …                                 ├─ tap 1, k ──┤   lines past k are zero
//!          └───┘                                    └─────────────┘
//! sum[r][j] = bias[j] + row[r] + Σ_tap Σ_i a[tap][r][i] · panel[tap][i][j]
//! c[r][j]   = clamp(sum[r][j] · multiplier[j] + zero point)                          as bytes, or
//!             clamp((sum[r][j] − zero[r] · Σ panel[j]) · (scale[r] · scale[j]) + bias[j])     as reals, with sums from 0
//! ```
//! Sums wrap. How weights lie in a group is the member's own: as bytes where there are instructions for dot products of four bytes,
//! else as words for products of pairs. Where there are only products of signed bytes, rows are taken as 128 less, and a panel begins
//! with 128 times the sums of its columns, as `i32`, from which sums start.

#[cfg(all(target_arch = "x86_64", feature = "amx"))]
mod amx;
mod body;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod by_lane;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod by_pair;
mod panel;
mod results;
mod table;
mod words;

pub use panel::{COLUMNS, Matrix, Pack};
pub use results::{Results, ToBytes, ToReals};
pub(crate) use table::TABLE;
pub use words::Words;

use super::family::usable;
use super::transpose::Transpose;
use crate::isa::Isa;
use crate::simd::dot;

/// Rows by columns of results.
#[derive(Clone, Copy)]
pub struct Product {
    /// `[taps][rows]` pointers, each to `k` bytes; if `step` is not 0, `[taps]` pointers to the first row's.
    pub a: *const *const u8,
    /// Bytes from one row to the next of each tap; 0 if they lie anywhere.
    pub step: usize,
    /// Number of rows.
    pub rows: usize,
    /// Number of taps.
    pub taps: usize,
    /// Bytes per row and tap.
    pub k: usize,
    /// How far each row may be read.
    pub reach: Reach,
    /// The first panel; the others follow.
    pub weights: *const u8,
    /// Bytes of panels per column.
    pub column_bytes: usize,
    /// What the sums become.
    pub results: Results,
    /// The first result.
    pub c: *mut u8,
    /// Bytes from one row of results to the next.
    pub stride: usize,
    /// Results per row.
    pub columns: usize,
}

/// How far a row may be read: beyond `k` bytes, what is read meets weights of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// `k` bytes.
    Exact,
    /// Up to the next multiple of four.
    Groups,
    /// Up to the next multiple of 64.
    Lines,
}

impl Reach {
    /// Of rows of `k` bytes from which on so many bytes may be read.
    #[inline]
    pub fn of(k: usize, readable: usize) -> Reach {
        if k.next_multiple_of(LINE) <= readable {
            Reach::Lines
        } else if k.next_multiple_of(4) <= readable {
            Reach::Groups
        } else {
            Reach::Exact
        }
    }
}

/// Bytes of a line of a tile of AMX.
const LINE: usize = 64;

/// What one call of a microkernel computes: a product with the columns of one panel.
#[derive(Clone, Copy)]
struct Tile<'p> {
    product: &'p Product,
    weights: *const u8,
    results: Results,
    c: *mut u8,
    columns: usize,
}

/// # Safety
/// The machine has the instruction set; rows lie at steps, or anywhere, as the table says. All rows of `a` are readable for `k` bytes, and as far as the reach says; the panel has
/// `taps · ⌈k / 4⌉` groups; the channels have a block per vector, row terms are null or, as quantized rows, one per row; and each of
/// the rows of c is writable for `columns` results.
type Microkernel = unsafe fn(&Tile<'_>);

/// A family member.
#[non_exhaustive]
pub struct Gemm {
    /// As in `u8i8_gemm_14x32__avx512vnni`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    /// Most rows of a product.
    pub mr: usize,
    /// Columns of a vector.
    pub lanes: usize,
    /// Bytes that a group of four lines takes per column: 4, or 8 where weights are words.
    group_bytes: usize,
    /// What is taken from the bytes of rows: if it is not 0, panels begin with their columns' sums times that.
    offset: u8,
    /// Panels have whole multiples of so many groups.
    groups: usize,
    /// Packs columns that are known at run time only.
    pub pack_columns: Pack,
    /// `by_vectors[v − 1][r − 1]` serves `r` rows and `v` vectors of columns.
    by_vectors: &'static [&'static [Microkernel]],
    /// As `by_vectors`, for rows at steps; empty if the member takes none.
    strips: &'static [&'static [Microkernel]],
    /// What serves more rows than few.
    tiles: Option<Tiles>,
}

/// AMX.
#[derive(Clone, Copy)]
struct Tiles {
    /// Rows that are few: vectors are faster for them.
    few: usize,
    /// Most bytes of a row.
    most: usize,
    /// What a thread calls before the first product.
    enter: unsafe fn(),
    /// What it calls after the last one.
    leave: unsafe fn(),
    /// Computes a product.
    multiply: unsafe fn(&Product),
}

/// What a thread holds while it calls microkernels of a member.
pub struct Session {
    leave: Option<unsafe fn()>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(leave) = self.leave {
            // SAFETY: the member is available, as whoever began the session promised.
            unsafe { leave() };
        }
    }
}

/// Whether there are tiles of bytes (AMX), and the system lets this process use them. Looked up once.
#[cfg(all(target_arch = "x86_64", feature = "amx"))]
pub fn has_tiles() -> bool {
    static FOUND: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *FOUND.get_or_init(amx::is_available)
}

impl Gemm {
    /// Makes this thread ready for products, until the value is dropped.
    ///
    /// # Safety
    /// The machine has the instruction set.
    #[inline]
    pub unsafe fn begin(&self) -> Session {
        if let Some(tiles) = self.tiles {
            // SAFETY: the machine has the member's instructions, which are those that its tiles need.
            unsafe { (tiles.enter)() };
        }
        Session { leave: self.tiles.map(|tiles| tiles.leave) }
    }

    /// Number of products that so many rows are cut into.
    #[inline]
    pub fn parts(&self, rows: usize) -> usize {
        rows.div_ceil(self.mr)
    }

    /// Rows of part `i`: the most that fit, or, of vectors, about equally many.
    #[inline]
    pub fn part(&self, i: usize, rows: usize) -> (usize, usize) {
        match self.tiles {
            Some(_) => (i * self.mr, ((i + 1) * self.mr).min(rows)),
            None => (i * rows / self.parts(rows), (i + 1) * rows / self.parts(rows)),
        }
    }

    /// Rows of the first `i` of `parts`.
    #[inline]
    pub fn rows_before(&self, i: usize, parts: usize, rows: usize) -> usize {
        match self.tiles {
            Some(_) => (i * self.mr).min(rows),
            None => i * rows / parts,
        }
    }

    /// Computes a product.
    ///
    /// # Safety
    /// This thread has begun a session; if there is a step, the member takes strips. Rows, at most `mr`, are readable for `k` bytes and as far as their reach; panels are packed by
    /// this member, for `taps` and `k`; the channels have a block for each vector of columns; row terms are null or, as quantized rows,
    /// one per row; and the results are writable.
    #[inline]
    pub unsafe fn multiply(&self, p: &Product) {
        if let Some(tiles) = self.tiles.filter(|tiles| p.rows > tiles.few) {
            // SAFETY: the product is one that this member serves, and this thread has begun a session: what its tiles ask for.
            return unsafe { (tiles.multiply)(p) };
        }
        let table = if p.step == 0 { self.by_vectors } else { self.strips };
        // SAFETY: the table's microkernels are those for rows as they lie, by pointers or at steps, and the product is this
        // member's.
        unsafe { panels(p, self.lanes, table) };
    }

    /// Whether it multiplies pairs of words, with which products of words take as long.
    #[inline]
    pub fn multiplies_pairs(&self) -> bool {
        self.group_bytes == 8
    }

    /// Whether rows may lie at steps.
    #[inline]
    pub fn takes_strips(&self) -> bool {
        !self.strips.is_empty()
    }

    /// Columns of the widest panel.
    #[inline]
    pub const fn nr(&self) -> usize {
        self.by_vectors.len() * self.lanes
    }

    /// The best member on this machine that needs nothing beyond `isa`, for that many taps of `k` bytes.
    pub fn select_for(isa: Isa, taps: usize, k: usize) -> &'static Gemm {
        let bytes = taps * k.next_multiple_of(4);
        let fits = |gemm: &&Gemm| gemm.tiles.is_none_or(|tiles| bytes <= tiles.most);
        usable(TABLE, isa).rfind(fits).unwrap_or(&TABLE[0])
    }

    /// Width of the panel that holds columns `from..` of `columns`.
    #[inline]
    pub fn panel_width(&self, from: usize, columns: usize) -> usize {
        (columns - from).next_multiple_of(self.lanes).min(self.nr())
    }

    /// Bytes of a panel, per column.
    #[inline]
    pub fn column_bytes(&self, taps: usize, k: usize) -> usize {
        (taps * k.div_ceil(4)).next_multiple_of(self.groups) * self.group_bytes + self.start_bytes()
    }

    /// Bytes per column in front of a panel's groups.
    const fn start_bytes(&self) -> usize {
        if self.offset == 0 { 0 } else { size_of::<i32>() }
    }

    /// Bytes that packed weights take.
    #[inline]
    pub fn packed_len(&self, taps: usize, k: usize, columns: usize) -> usize {
        columns.next_multiple_of(self.lanes) * self.column_bytes(taps, k)
    }

    /// Packs weights, given as `weight(column, tap, line)`, panel after panel.
    pub fn pack(
        &self,
        (taps, k): (usize, usize),
        columns: usize,
        packed: &mut [u8],
        weight: impl Fn(usize, usize, usize) -> i8,
    ) {
        let (mut from, mut rest) = (0, packed);
        let groups = k.div_ceil(4);
        while from < columns {
            let width = self.panel_width(from, columns);
            let used = width.min(columns - from);
            let (panel, next) = rest.split_at_mut(width * self.column_bytes(taps, k));
            panel.fill(0);
            let (starts, panel) = panel.split_at_mut(width * self.start_bytes());
            let mut sums = [0i32; COLUMNS];
            for (g, group) in panel.chunks_exact_mut(width * self.group_bytes).take(taps * groups).enumerate()
            {
                let (tap, line) = (g / groups, g % groups * 4);
                for (j, sum) in sums.iter_mut().enumerate().take(used) {
                    let four =
                        std::array::from_fn(
                            |i| {
                                if line + i < k { weight(from + j, tap, line + i) } else { 0 }
                            },
                        );
                    *sum = four.iter().fold(*sum, |sum, &w| sum.wrapping_add(w.into()));
                    let (vector, lane) = (j / self.lanes, j % self.lanes);
                    let bytes = self.lanes * self.group_bytes;
                    dot::place(&mut group[vector * bytes..][..bytes], self.lanes, lane, four);
                }
            }
            for (start, sum) in starts.chunks_exact_mut(size_of::<i32>()).zip(sums) {
                start.copy_from_slice(&sum.wrapping_mul(self.offset.into()).to_ne_bytes());
            }
            (from, rest) = (from + width, next);
        }
    }

    /// As [`pack`](Self::pack), of bytes `[columns][taps][k]`, each of which is read as `byte ^ flip`.
    pub fn pack_rows(
        &self,
        (taps, k): (usize, usize),
        columns: usize,
        packed: &mut [u8],
        (rows, flip): (&[u8], u8),
    ) {
        let lines = taps * k;
        let words = bytemuck::try_cast_slice::<u8, u32>(&rows[..columns * lines]).ok();
        let (Some(words), 4, 0, 0) = (words, self.group_bytes, self.offset, k % 4) else {
            return self
                .pack((taps, k), columns, packed, |j, tap, i| (rows[j * lines + tap * k + i] ^ flip) as i8);
        };
        // Four lines of a column are a word, and words change places as the elements of a matrix do.
        let (transpose, groups) = (Transpose::words(self.isa), lines / 4);
        let (mut from, mut rest) = (0, packed);
        while from < columns {
            let width = self.panel_width(from, columns);
            let used = width.min(columns - from);
            let (panel, next) = rest.split_at_mut(width * self.column_bytes(taps, k));
            let (lines, unused) = panel.split_at_mut(groups * width * 4);
            unused.fill(0);
            if used < width {
                lines.fill(flip);
            }
            let to = bytemuck::cast_slice_mut::<u8, u32>(lines);
            transpose.slices((&words[from * groups..], groups), (to, width), [used, groups]);
            if flip != 0 {
                lines.iter_mut().for_each(|byte| *byte ^= flip);
            }
            (from, rest) = (from + width, next);
        }
    }
}

/// Computes a product panel by panel; `table[v − 1][r − 1]` serves `r` rows and `v` vectors of columns.
///
/// # Safety
/// That of [`Gemm::multiply`], for the table's microkernels.
unsafe fn panels(p: &Product, lanes: usize, table: &[&[Microkernel]]) {
    // A power of two: divisions would cost as much as a small product.
    let shift = lanes.trailing_zeros();
    let all = (p.columns + lanes - 1) >> shift;
    let mut block = 0;
    while block < all {
        let vectors = (all - block).min(table.len());
        let column = block << shift;
        let tile = Tile {
            product: p,
            weights: p.weights.wrapping_add(column * p.column_bytes),
            results: p.results.from(block, lanes),
            c: p.c.wrapping_add(column * p.results.size()),
            columns: (vectors << shift).min(p.columns - column),
        };
        // SAFETY: the entry is for this many vectors and rows; the tile is the part of the product from `column` on, whose
        // panel, blocks and results are there.
        unsafe { table[vectors - 1][p.rows - 1](&tile) };
        block += vectors;
    }
}

#[cfg(test)]
mod tests;
