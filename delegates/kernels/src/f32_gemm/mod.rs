//! Products of `f32` rows with packed weights: convolutions, fully connected layers, matrix products.
//!
//! ```text
//! rows of a: one pointer per row and tap          panel: width = vectors × lanes columns
//!   tap 0: ┌ k ┐  row 0                             ┌─ bias ──────┐
//!          └───┘  row 1 …                           ├─ tap 0, k ──┤ k lines
//!   tap 1: ┌ k ┐  …                                 ├─ tap 1, k ──┤
//!          └───┘                                    └─────────────┘
//! c[r][j] = clamp(bias[j] + Σ_tap Σ_i a[tap][r][i] · panel[tap][i][j])
//! ```
//! A microkernel keeps `rows × vectors` sums in registers for the whole of taps × k, so c is written once.

mod body;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod by_lane;

use arenite_layers::{Rows, Stored};

use super::transpose::Transpose;
use crate::isa::Isa;
use crate::simd::*;
use crate::widen;

/// What one call of a microkernel computes.
#[derive(Clone, Copy)]
pub struct Tile {
    /// `[taps][rows]` pointers, each to `k` values.
    pub a: *const *const f32,
    /// Number of taps.
    pub taps: usize,
    /// Values per row and tap.
    pub k: usize,
    /// The panel.
    pub weights: *const f32,
    /// The first result.
    pub c: *mut f32,
    /// Values from one row of results to the next.
    pub stride: usize,
    /// Results per row that are written, at most the panel's width.
    pub columns: usize,
    /// Smallest result.
    pub low: f32,
    /// Largest result.
    pub high: f32,
    /// What to bring near meanwhile.
    pub prefetch: Prefetch,
}

/// Weights that are wanted soon: for each line of the panel, two lines of cache from `from` on, `step` values apart from one line
/// to the next. The address is never read through.
#[derive(Clone, Copy, Debug)]
pub struct Prefetch {
    /// The first line.
    pub from: *const f32,
    /// Values from one to the next.
    pub step: usize,
}

impl Prefetch {
    /// Nothing but what is near already.
    #[inline]
    pub fn nothing(weights: *const f32) -> Self {
        Prefetch { from: weights, step: 0 }
    }

    /// The panel's own lines, so far ahead that memory has the time to answer.
    #[inline]
    pub fn ahead(weights: *const f32, width: usize) -> Self {
        Prefetch { from: weights.wrapping_add(AHEAD), step: width }
    }

    /// Another panel.
    #[inline]
    pub fn panel(weights: *const f32, width: usize) -> Self {
        Prefetch { from: weights, step: width }
    }
}

/// Lines that are packed at a time.
const LINES: usize = 256;

/// Values between what is multiplied and what is asked for: a page.
const AHEAD: usize = 1024;

/// # Safety
/// The machine has the instruction set. All pointers of `a` are readable for `k` values, the panel for
/// `(1 + taps · k) · width`, and each of the rows of c is writable for `columns` values.
pub type Microkernel = unsafe fn(&Tile);

/// A family member: microkernels for all numbers of rows up to `mr` and of vectors up to `vectors`.
#[non_exhaustive]
pub struct Gemm {
    /// As in `f32_gemm_14x32__avx512`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    /// Most rows of a tile of several panels.
    pub mr: usize,
    /// Columns of a vector.
    pub lanes: usize,
    /// `by_vectors[v − 1][r − 1]` serves `r` rows and `v` vectors of columns.
    pub by_vectors: &'static [&'static [Microkernel]],
}

impl Gemm {
    /// Columns of the widest panel.
    #[inline]
    pub const fn nr(&self) -> usize {
        self.by_vectors.len() * self.lanes
    }

    /// Rows of a tile that has all of `columns` columns: few vectors leave registers for more rows.
    #[inline]
    pub fn rows(&self, columns: usize) -> usize {
        let vectors = columns.div_ceil(self.lanes).min(self.by_vectors.len());
        self.by_vectors[vectors.max(1) - 1].len()
    }

    /// Width of the panel that holds columns `from..` of `columns`.
    #[inline]
    pub fn panel_width(&self, from: usize, columns: usize) -> usize {
        // Lanes are a power of two: a division would cost as much as a small tile.
        ((columns - from + self.lanes - 1) & !(self.lanes - 1)).min(self.nr())
    }

    /// The microkernels for a panel of this width: that for `r` rows is number `r − 1`.
    #[inline]
    pub fn kernels(&self, width: usize) -> &'static [Microkernel] {
        self.by_vectors[(width >> self.lanes.trailing_zeros()) - 1]
    }

    /// The microkernel for a panel of this width and so many rows.
    #[inline]
    pub fn kernel(&self, width: usize, rows: usize) -> Microkernel {
        self.kernels(width)[rows - 1]
    }

    /// Values that packed weights take: `k_total` lines and a bias line for each of `columns` columns.
    #[inline]
    pub fn packed_len(&self, k_total: usize, columns: usize) -> usize {
        columns.next_multiple_of(self.lanes) * (k_total + 1)
    }

    /// Packs weights of which each column lies in a row of its own, from this element on, with `bias(column)`.
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
                let rows =
                    Rows { first: first + from * k_total + i * LINES, stride: k_total, count: used, len };
                let (rows, stride) = weights.rows(rows, widen::halves(self.isa), &mut room);
                if used < width {
                    lines.fill(0.0);
                }
                transpose.slices((rows, stride), (lines, width), [used, len]);
            }
            (from, rest) = (from + width, next);
        }
    }

    /// Packs weights, given as `weight(column, line)`, with `bias(column)`, panel after panel.
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
    ($name:expr, $isa:expr, $t:ty, $mr:literal, $($v:literal: [$($r:literal)*]),*) => {
        Gemm {
            name: $name,
            isa: $isa,
            mr: $mr,
            lanes: <$t>::LANES,
            by_vectors: &[$(&[$(tile::<$r, $v>),*]),*],
        }
    };
}

family! {
    Gemm: "f32_gemm" {
        fn tile[R: usize, V: usize](t: &Tile);
    }
    scalar("_4x8" Scalar, 4, 1: [1 2 3 4], 2: [1 2 3 4]);
    avx2("_6x16" Avx2, 6, 1: [1 2 3 4 5 6 7 8 9 10 11 12], 2: [1 2 3 4 5 6]);
    avx512(
        "_14x32" Avx512, 14,
        1: [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28],
        2: [1 2 3 4 5 6 7 8 9 10 11 12 13 14]
    );
    neon("_6x16" Neon: by_lane, 6, 1: [1 2 3 4 5 6], 2: [1 2 3 4 5 6], 3: [1 2 3 4 5 6], 4: [1 2 3 4 5 6]);
}
member_of_table!(Gemm);

#[cfg(test)]
mod tests;
