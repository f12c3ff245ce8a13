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
//! Sums wrap. The layout of weights in a group depends on the member: bytes if there are instructions for dot products
//! of four bytes, otherwise words for products of pairs. If the instructions multiply only signed bytes, 128 is
//! subtracted from the bytes of rows, and a panel starts with 128 times the sums of its columns, as `i32`, which are
//! the initial sums. If they saturate, `split` subtracts a number that it chooses row by row, and a panel starts with
//! the sums of its columns.

#[cfg(all(target_arch = "x86_64", feature = "amx"))]
mod amx;
mod body;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod bound;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod by_lane;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod by_pair;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod choice;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod copies;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod forms;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod neighbours;
mod one_row;
mod panel;
mod product;
mod results;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod split;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod strip;
mod table;
mod words;

pub use panel::{COLUMNS, Matrix, Pack};
pub use product::{Cached, Extent, Product, ProductSizes};
pub use results::{Results, ToBytes, ToReals};
pub(crate) use table::TABLE;
pub use words::Words;

use super::family::usable;
use super::transpose::Transpose;
use crate::isa::Isa;
use crate::simd::dot;

/// The arguments of a microkernel: a product with the columns of one panel.
#[derive(Clone, Copy)]
struct Tile<'p> {
    product: &'p Product,
    rows: usize,
    weights: *const u8,
    results: Results,
    c: *mut u8,
    columns: usize,
}

/// # Safety
/// The machine must have the instruction set. Rows must be at steps, or have a pointer each, depending on the table.
/// All rows of `a` must be readable for `k` bytes and up to their reach. The panel must have `taps · ⌈k / 4⌉` groups
/// and the channels a block per vector. Row terms must be null or one per row, and quantized rows one per row. Each row
/// of c must be writable for `columns` results.
type Microkernel = unsafe fn(&Tile<'_>);

/// A member of the family.
#[non_exhaustive]
pub struct Gemm {
    /// The name, such as `u8i8_gemm_32x32__avx512vnni`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The most rows of a product.
    pub mr: usize,
    /// The most vectors of a panel.
    vectors: usize,
    /// The number of columns of a vector.
    pub lanes: usize,
    /// The size of a group of four lines per column in bytes: 4, or 8 if weights are words.
    group_bytes: usize,
    /// Panels start with the sums of their columns times this number, unless it is 0.
    starts: u8,
    /// Whether [`Words`] has a member that is as fast.
    has_words: bool,
    /// The number of groups of a panel is a multiple of this.
    groups: usize,
    /// Packs columns that are known only at run time.
    pub pack_columns: Pack,
    /// `by_vectors[v − 1][r − 1]` is the kernel for `r` rows and `v` vectors of columns.
    by_vectors: &'static [&'static [Microkernel]],
    /// Like `by_vectors`, for rows at steps; empty if the member does not support these.
    strips: &'static [&'static [Microkernel]],
    /// Computes products of [one plain row](Product::is_plain_row); `None` if `by_vectors` are as fast.
    row: Option<unsafe fn(&Product)>,
    /// Computes products of more rows than `by_vectors` has; `None` if that is the member's most rows.
    many: Option<unsafe fn(&Product)>,
    /// The functions for many rows with AMX.
    tiles: Option<Tiles>,
    /// The function for all rows, if products of bytes may saturate.
    split: Option<unsafe fn(&Product)>,
}

/// The most rows of `by_vectors`, if a member has a function for more.
const FEW: usize = 3;

/// The functions that use AMX.
#[derive(Clone, Copy)]
struct Tiles {
    /// Up to this number of rows, vectors are faster.
    few: usize,
    /// Whether they are faster than vectors for a layer of these sizes.
    pays: fn(&ProductSizes) -> bool,
    /// A thread calls this before its first product.
    enter: unsafe fn(),
    /// A thread calls this after its last product.
    leave: unsafe fn(),
    /// Computes a product.
    multiply: unsafe fn(&Product),
}

/// A thread needs this value to call microkernels of a member.
pub struct Session {
    leave: Option<unsafe fn()>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(leave) = self.leave {
            // SAFETY: the machine can run the member, as `begin` requires.
            unsafe { leave() };
        }
    }
}

impl Gemm {
    /// Prepares this thread for products, until the value is dropped.
    ///
    /// # Safety
    /// The machine must have the instruction set.
    #[inline]
    pub unsafe fn begin(&self) -> Session {
        if let Some(tiles) = self.tiles {
            // SAFETY: the machine has the member's instructions, as `# Safety` requires, and these include its tile
            // instructions.
            unsafe { (tiles.enter)() };
        }
        Session { leave: self.tiles.map(|tiles| tiles.leave) }
    }

    /// The number of products into which this number of rows is split.
    #[inline]
    pub fn parts(&self, rows: usize) -> usize {
        rows.div_ceil(self.mr)
    }

    /// The number of rows of part `i`: the most that fit or, with vectors, about equal numbers.
    #[inline]
    pub fn part(&self, i: usize, rows: usize) -> (usize, usize) {
        match self.fills() {
            true => (i * self.mr, ((i + 1) * self.mr).min(rows)),
            false => (i * rows / self.parts(rows), (i + 1) * rows / self.parts(rows)),
        }
    }

    /// The number of rows of the first `i` of `parts`.
    #[inline]
    pub fn rows_before(&self, i: usize, parts: usize, rows: usize) -> usize {
        match self.fills() {
            true => (i * self.mr).min(rows),
            false => i * rows / parts,
        }
    }

    /// Whether products have the most rows that fit, rather than about equal numbers.
    #[inline]
    fn fills(&self) -> bool {
        self.tiles.is_some() || self.split.is_some()
    }

    /// Computes a product.
    ///
    /// # Safety
    /// This thread must have a session. If there is a step, the member must support strips. Rows, at most `mr`, must be
    /// readable for `k` bytes and up to their reach. Panels must be packed by this member, for `taps` and `k`. The
    /// channels must have a block for each vector of columns. Row terms must be null or one per row, and quantized rows
    /// one per row. The results must be writable.
    #[inline]
    pub unsafe fn multiply(&self, p: &Product) {
        if let Some(tiles) = self.tiles.filter(|tiles| p.rows > tiles.few) {
            // SAFETY: the product meets the requirements of this member, and this thread has a session, as `# Safety`
            // requires.
            return unsafe { (tiles.multiply)(p) };
        }
        if let Some(split) = self.split {
            // SAFETY: the product meets the requirements of this member, as `# Safety` requires.
            return unsafe { split(p) };
        }
        if let Some(row) = self.row.filter(|_| p.is_plain_row()) {
            // SAFETY: the product meets the requirements of this member, as `# Safety` requires.
            return unsafe { row(p) };
        }
        if let Some(many) = self.many.filter(|_| p.rows > FEW) {
            // SAFETY: the product meets the requirements of this member, as `# Safety` requires.
            return unsafe { many(p) };
        }
        let table = if p.step == 0 { self.by_vectors } else { self.strips };
        // SAFETY: the table's microkernels are for rows with pointers or at steps, whichever the product has, and the
        // product meets their requirements, as `# Safety` requires.
        unsafe { panels(p, self.lanes, table) };
    }

    /// Whether products of words take no longer than as many products of bytes.
    #[inline]
    pub fn has_words(&self) -> bool {
        self.has_words
    }

    /// Whether rows may be at steps.
    #[inline]
    pub fn takes_strips(&self) -> bool {
        !self.strips.is_empty() || self.split.is_some()
    }

    /// The number of columns of the widest panel.
    #[inline]
    pub const fn nr(&self) -> usize {
        self.vectors * self.lanes
    }

    /// The fastest member for products of these sizes that this machine can run and that needs no features outside
    /// `isa`.
    pub fn select_for(isa: Isa, sizes: ProductSizes) -> &'static Gemm {
        let fits = |gemm: &&Gemm| gemm.tiles.is_none_or(|tiles| (tiles.pays)(&sizes));
        usable(TABLE, isa).rfind(fits).unwrap_or(&TABLE[0])
    }

    /// The width of the panel of columns `from..columns`.
    #[inline]
    pub fn panel_width(&self, from: usize, columns: usize) -> usize {
        (columns - from).next_multiple_of(self.lanes).min(self.nr())
    }

    /// The size of a panel per column, in bytes.
    #[inline]
    pub fn column_bytes(&self, taps: usize, k: usize) -> usize {
        (taps * k.div_ceil(4)).next_multiple_of(self.groups) * self.group_bytes + self.start_bytes()
    }

    /// The number of bytes per column before a panel's groups.
    const fn start_bytes(&self) -> usize {
        if self.starts == 0 { 0 } else { size_of::<i32>() }
    }

    /// The size of packed weights in bytes.
    #[inline]
    pub fn packed_len(&self, taps: usize, k: usize, columns: usize) -> usize {
        columns.next_multiple_of(self.lanes) * self.column_bytes(taps, k)
    }

    /// Packs the weights `weight(column, tap, line)`, panel by panel.
    pub fn pack(
        &self,
        taps: usize,
        k: usize,
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
            self.write_starts(starts, sums.into_iter());
            (from, rest) = (from + width, next);
        }
    }

    /// Writes the start of a panel whose columns have these sums; further columns have sum 0.
    fn write_starts(&self, starts: &mut [u8], sums: impl Iterator<Item = i32>) {
        for (start, sum) in starts.chunks_exact_mut(size_of::<i32>()).zip(sums.chain(std::iter::repeat(0))) {
            start.copy_from_slice(&sum.wrapping_mul(self.starts.into()).to_ne_bytes());
        }
    }

    /// Like [`pack`](Self::pack), for bytes `[columns][taps][k]`, each of which is read as `byte ^ flip`.
    pub fn pack_rows(
        &self,
        taps: usize,
        k: usize,
        columns: usize,
        packed: &mut [u8],
        (rows, flip): (&[u8], u8),
    ) {
        let lines = taps * k;
        let words = bytemuck::try_cast_slice::<u8, u32>(&rows[..columns * lines]).ok();
        let (Some(words), 4, 0) = (words, self.group_bytes, k % 4) else {
            return self
                .pack(taps, k, columns, packed, |j, tap, i| (rows[j * lines + tap * k + i] ^ flip) as i8);
        };
        // Four lines of a column are a word, and words are transposed like the elements of a matrix.
        let (transpose, groups) = (Transpose::words(self.isa), lines / 4);
        let (mut from, mut rest) = (0, packed);
        while from < columns {
            let width = self.panel_width(from, columns);
            let used = width.min(columns - from);
            let (panel, next) = rest.split_at_mut(width * self.column_bytes(taps, k));
            let (starts, panel) = panel.split_at_mut(width * self.start_bytes());
            let column =
                |j: usize| rows[j * lines..][..lines].iter().map(|&byte| i32::from((byte ^ flip) as i8));
            self.write_starts(starts, (from..from + used).map(|j| column(j).fold(0, i32::wrapping_add)));
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

/// Computes a product panel by panel. `table[v − 1][r − 1]` is the kernel for `r` rows and `v` vectors of columns.
///
/// # Safety
/// The product must meet the requirements of [`Gemm::multiply`], for the table's microkernels.
unsafe fn panels(p: &Product, lanes: usize, table: &[&[Microkernel]]) {
    // SAFETY: the entry is for this number of vectors and rows. The tile's panel, blocks and results are valid, as `#
    // Safety` requires.
    each_panel(p, lanes, table.len(), |vectors, tile| unsafe { table[vectors - 1][p.rows - 1](&tile) });
}

/// Calls `f` with the number of vectors of each panel, at most `most`, and the part of the product in its columns.
#[inline(always)]
fn each_panel(p: &Product, lanes: usize, most: usize, mut f: impl FnMut(usize, Tile<'_>)) {
    // The number of lanes is a power of two: divisions would take as long as a small product.
    let shift = lanes.trailing_zeros();
    let all = (p.columns + lanes - 1) >> shift;
    let mut block = 0;
    while block < all {
        let vectors = (all - block).min(most);
        let column = block << shift;
        let tile = Tile {
            product: p,
            rows: p.rows,
            weights: p.weights.wrapping_add(column * p.column_bytes),
            results: p.results.from(block, lanes),
            c: p.c.wrapping_add(column * p.results.size()),
            columns: (vectors << shift).min(p.columns - column),
        };
        f(vectors, tile);
        block += vectors;
    }
}

#[cfg(test)]
mod tests;
