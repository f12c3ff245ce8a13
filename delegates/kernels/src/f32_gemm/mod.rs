//! Products of `f32` rows with packed weights: convolutions, fully connected layers, matrix products.
//!
//! ```text
//! rows of a: one pointer per row and tap          panel: width = vectors × lanes columns
//!   tap 0: ┌ k ┐  row 0                             ┌─ bias ──────┐
//!          └───┘  row 1 …                           ├─ tap 0, k ──┤ k lines
//!   tap 1: ┌ k ┐  …                                 ├─ tap 1, k ──┤
//!          └───┘                                    └─────────────┘
//! c[r][j] = clamp(bias[j] + Σ_tap Σ_i a[tap][r][i] · panel[tap][i][j])      then the operations of [`After`]
//! ```
//! A microkernel keeps `rows × vectors` sums in registers for all `taps × k` products, so that c is written once.

mod body;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod by_lane;

use arenite_base::{Stored, StoredRows};

use super::transpose::Transpose;
use crate::isa::Isa;
use crate::simd::*;
use crate::widen;

/// The arguments of a microkernel.
#[derive(Clone, Copy)]
pub struct Tile {
    /// `[taps][rows]` pointers, each to `k` values.
    pub a: *const *const f32,
    /// The number of taps.
    pub taps: usize,
    /// The number of values per row and tap.
    pub k: usize,
    /// The address of the panel.
    pub weights: *const f32,
    /// The address of the first result.
    pub c: *mut f32,
    /// The distance between rows of results, in values.
    pub stride: usize,
    /// The number of results that are written per row, at most the panel's width.
    pub columns: usize,
    /// The smallest result.
    pub low: f32,
    /// The largest result.
    pub high: f32,
    /// Operations besides the clamp.
    pub after: After,
    /// The weights to prefetch during the call.
    pub prefetch: Prefetch,
    /// The tiles of the call.
    pub repeat: Repeat,
}

impl Tile {
    /// One tile without any operation.
    pub const PLAIN: Tile = Tile {
        a: core::ptr::null(),
        taps: 0,
        k: 0,
        weights: core::ptr::null(),
        c: core::ptr::null_mut(),
        stride: 0,
        columns: 0,
        low: f32::NEG_INFINITY,
        high: f32::INFINITY,
        after: After::NOTHING,
        prefetch: Prefetch { from: core::ptr::null(), step: 0 },
        repeat: Repeat::ONCE,
    };
}

/// The tiles that a call computes: a call can take as long as a small tile. All have the same sizes. Distances are in
/// values, from one tile to the next.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// The number of tiles.
    pub count: usize,
    /// The distance between rows of a.
    pub a: usize,
    /// The distance between panels.
    pub weights: usize,
    /// The distance between results, and between values that are added to them.
    pub c: usize,
    /// The distance between slopes.
    pub slopes: usize,
}

impl Repeat {
    /// One tile.
    pub const ONCE: Repeat = Repeat { count: 1, a: 0, weights: 0, c: 0, slopes: 0 };

    /// Tiles of the same rows, and of `count` panels with `width` columns and `len` weights each.
    #[inline]
    pub fn panels(count: usize, width: usize, len: usize) -> Repeat {
        Repeat { count, a: 0, weights: len, c: width, slopes: width }
    }
}

/// Operations on sums while they are in registers: `y = clamp(finite(sum) + added)`, then `y < 0 ? y · slope : y`.
#[derive(Clone, Copy, Debug)]
pub struct After {
    /// The residual, with the stride of the results, or null.
    pub added: *const f32,
    /// PRELU's slopes, one per column, or null.
    pub slopes: *const f32,
}

impl After {
    /// No operations.
    pub const NOTHING: After = After { added: core::ptr::null(), slopes: core::ptr::null() };

    /// The same operations, for results that are `columns` columns further.
    #[inline]
    pub fn skip(self, columns: usize) -> Self {
        let skip = |p: *const f32| if p.is_null() { p } else { p.wrapping_add(columns) };
        After { added: skip(self.added), slopes: skip(self.slopes) }
    }
}

/// Weights to prefetch because they are needed next: for each line of the panel, two cache lines; `from` is the first,
/// and `step` the distance in values. The address is never dereferenced.
#[derive(Clone, Copy, Debug)]
pub struct Prefetch {
    /// The address of the first line.
    pub from: *const f32,
    /// The distance between lines, in values.
    pub step: usize,
}

impl Prefetch {
    /// Prefetches only weights that are already in the cache.
    #[inline]
    pub fn nothing(weights: *const f32) -> Self {
        Prefetch { from: weights, step: 0 }
    }

    /// Prefetches lines of the same panel, far enough ahead for the latency of memory.
    #[inline]
    pub fn ahead(weights: *const f32, width: usize) -> Self {
        Prefetch { from: weights.wrapping_add(AHEAD), step: width }
    }

    /// Prefetches another panel.
    #[inline]
    pub fn panel(weights: *const f32, width: usize) -> Self {
        Prefetch { from: weights, step: width }
    }
}

/// The number of lines that are packed at a time.
const LINES: usize = 256;

/// The distance between the weights in use and the prefetched weights, in values: a page.
const AHEAD: usize = 1024;

/// # Safety
/// The machine must have the instruction set. For each tile of `repeat`, all pointers of `a` must be readable for `k`
/// values, the panel for `(1 + taps · k) · width` values, and each row of c must be writable for `columns` values. Only
/// kernels for which
/// [`Gemm::applies_to`] is true may get operands in `after`: `added`, readable where c is writable, and a slope per
/// column. `columns` must then exceed the width without its last vector.
pub type Microkernel = unsafe fn(&Tile);

/// A member of the family: microkernels for up to `mr` rows and up to `by_vectors.len()` vectors of columns.
#[non_exhaustive]
pub struct Gemm {
    /// The name, such as `f32_gemm_14x32__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The most rows of a tile with several panels.
    pub mr: usize,
    /// The number of columns of a vector.
    pub lanes: usize,
    /// `by_vectors[v − 1][r − 1]` is the kernel for `r` rows and `v` vectors of columns.
    pub by_vectors: &'static [&'static [Microkernel]],
    /// Kernels for a panel of half a vector, if there are any: the last panel, where as many columns remain. The
    /// kernel for `r` rows is at index `r − 1`.
    pub half: &'static [Microkernel],
    /// The kernel for many rows of one vector of columns, if there is one.
    pub tall: Option<Tall>,
    /// Whether kernels apply [`After`]; those without vectors do not.
    pub applies: bool,
    /// Whether kernels load parts of vectors by masks.
    pub masks: bool,
}

/// A microkernel for this number of rows.
#[derive(Clone, Copy)]
pub struct Tall {
    /// The number of rows.
    pub rows: usize,
    /// The kernel, for one vector of columns.
    pub kernel: Microkernel,
}

impl Gemm {
    /// The number of columns of the widest panel.
    #[inline]
    pub const fn nr(&self) -> usize {
        self.by_vectors.len() * self.lanes
    }

    /// The number of rows of a tile that has all `columns` columns: with few vectors, registers remain for more rows.
    #[inline]
    pub fn rows(&self, columns: usize) -> usize {
        let vectors = columns.div_ceil(self.lanes).min(self.by_vectors.len());
        let rows = self.by_vectors[vectors.max(1) - 1].len();
        if self.ends_in_half(columns) { rows.min(self.half.len()) } else { rows }
    }

    /// The kernel for tall tiles that have all `columns` columns.
    #[inline]
    pub fn tall(&self, columns: usize) -> Option<Tall> {
        self.tall.filter(|_| columns <= self.lanes && !self.ends_in_half(columns))
    }

    /// The number of rows of the largest tile that has all `columns` columns.
    pub fn most_rows(&self, columns: usize) -> usize {
        self.tall(columns).map_or(self.rows(columns), |tall| tall.rows)
    }

    /// Whether the last of `columns` columns fill a panel of half a vector.
    #[inline]
    fn ends_in_half(&self, columns: usize) -> bool {
        // The number of lanes is a power of two: a division would take as long as a small tile.
        columns & (self.lanes - 1) == self.lanes / 2 && !self.half.is_empty()
    }

    /// Whether kernels apply [`After`] to results of these columns: without masks, panels must have no padding.
    pub fn applies_to(&self, columns: usize) -> bool {
        self.applies && (self.masks || self.packed_len(0, columns) == columns)
    }

    /// The width of the panel of columns `from..columns`.
    #[inline]
    pub fn panel_width(&self, from: usize, columns: usize) -> usize {
        let (left, whole) = (columns - from, !(self.lanes - 1));
        match left < self.nr() && self.ends_in_half(left) {
            true if left < self.lanes => left,
            true => left & whole,
            false => ((left + self.lanes - 1) & whole).min(self.nr()),
        }
    }

    /// How many panels from column `from < columns` on have the width of the first one.
    #[inline]
    pub fn alike(&self, from: usize, columns: usize) -> usize {
        ((columns - from) >> self.nr().trailing_zeros()).max(1)
    }

    /// The microkernels for a panel of this width. The kernel for `r` rows is at index `r − 1`.
    #[inline]
    pub fn kernels(&self, width: usize) -> &'static [Microkernel] {
        match width >> self.lanes.trailing_zeros() {
            0 => self.half,
            vectors => self.by_vectors[vectors - 1],
        }
    }

    /// The microkernel for a panel of this width and `rows` rows.
    #[inline]
    pub fn kernel(&self, width: usize, rows: usize) -> Microkernel {
        self.kernels(width)[rows - 1]
    }

    /// The size of packed weights in values: `k_total` lines and a line of biases for each of `columns` columns.
    #[inline]
    pub fn packed_len(&self, k_total: usize, columns: usize) -> usize {
        let part = if self.ends_in_half(columns) { self.lanes / 2 } else { self.lanes };
        columns.next_multiple_of(part) * (k_total + 1)
    }

    /// Packs weights whose columns are stored as rows, starting at element `first`, with `bias(column)`.
    pub fn pack_rows(
        &self,
        k_total: usize,
        columns: usize,
        packed: &mut [f32],
        (weights, first): (&Stored<'_>, usize),
        bias: impl Fn(usize) -> f32,
    ) {
        let transpose = Transpose::words(self.isa);
        let (mut from, mut rest, mut room) = (0, packed, Vec::new());
        while from < columns {
            let width = self.panel_width(from, columns);
            let used = width.min(columns - from);
            let (panel, next) = rest.split_at_mut(width * (k_total + 1));
            let (head, lines) = panel.split_at_mut(width);
            head.fill(0.0);
            head.iter_mut().take(used).enumerate().for_each(|(j, x)| *x = bias(from + j));
            for (i, lines) in lines.chunks_mut(width * LINES).enumerate() {
                let len = lines.len() / width;
                let rows = StoredRows {
                    first: first + from * k_total + i * LINES,
                    stride: k_total,
                    count: used,
                    len,
                };
                let (rows, stride) = weights.rows(rows, widen::halves(self.isa), &mut room);
                if used < width {
                    lines.fill(0.0);
                }
                transpose.slices((rows, stride), (lines, width), [used, len]);
            }
            (from, rest) = (from + width, next);
        }
    }

    /// Packs the weights `weight(column, line)`, with `bias(column)`, panel by panel.
    pub fn pack(
        &self,
        k_total: usize,
        columns: usize,
        packed: &mut [f32],
        weight: impl Fn(usize, usize) -> f32,
        bias: impl Fn(usize) -> f32,
    ) {
        let (mut from, mut rest) = (0, packed);
        while from < columns {
            let width = self.panel_width(from, columns);
            let used = width.min(columns - from);
            let (panel, next) = rest.split_at_mut(width * (k_total + 1));
            let (first, lines) = panel.split_at_mut(width);
            first.fill(0.0);
            first.iter_mut().take(used).enumerate().for_each(|(j, x)| *x = bias(from + j));
            for (i, line) in lines.chunks_exact_mut(width).enumerate() {
                line[used..].fill(0.0);
                line.iter_mut().take(used).enumerate().for_each(|(j, x)| *x = weight(from + j, i));
            }
            (from, rest) = (from + width, next);
        }
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, $mr:literal, $half:expr, $tall:expr, $($v:literal: [$($r:literal)*]),*) => {
        Gemm {
            name: $name,
            isa: $isa,
            mr: $mr,
            lanes: <$t>::LANES,
            by_vectors: &[$(&[$(tile::<$r, $v>),*]),*],
            half: $half,
            tall: $tall,
            applies: <$t>::FUSED,
            masks: <$t>::MASKS,
        }
    };
}

family! {
    Gemm: "f32_gemm" {
        fn tile[R: usize, V: usize](t: &Tile);
    }
    scalar("_4x8" Scalar, 4, &[], None, 1: [1 2 3 4], 2: [1 2 3 4]);
    avx2("_6x16" Avx2, 6, &[], None, 1: [1 2 3 4 5 6 7 8 9 10 11 12], 2: [1 2 3 4 5 6]);
    avx512(
        "_14x32" Avx512, 14, avx2::MEMBER.by_vectors[0], Some(Tall { rows: 28, kernel: tile::<28, 1> }),
        1: [1 2 3 4 5 6 7 8 9 10 11 12 13 14],
        2: [1 2 3 4 5 6 7 8 9 10 11 12 13 14]
    );
    neon("_6x16" Neon: by_lane, 6, &[], None, 1: [1 2 3 4 5 6], 2: [1 2 3 4 5 6], 3: [1 2 3 4 5 6], 4: [1 2 3 4 5 6]);
}
member_of_table!(Gemm);

#[cfg(test)]
mod tests;
