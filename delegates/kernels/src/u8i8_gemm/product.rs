//! The arguments of a product.

use super::Results;
use crate::simd::dot::AHEAD;

/// The arguments of a product of rows and columns.
#[derive(Clone, Copy)]
pub struct Product {
    /// `[taps][rows]` pointers, each to `k` bytes; if `step` is not 0, `[taps]` pointers to the first row.
    pub a: *const *const u8,
    /// The distance between rows of each tap, in bytes; 0 if each row has a pointer.
    pub step: usize,
    /// The number of rows.
    pub rows: usize,
    /// The number of taps.
    pub taps: usize,
    /// The number of bytes per row and tap.
    pub k: usize,
    /// How far each row may be read.
    pub reach: Extent,
    /// The address of the first panel; the others follow it.
    pub weights: *const u8,
    /// Whether the panels are in the second-level cache.
    pub cached: Cached,
    /// The size of panels per column, in bytes.
    pub column_bytes: usize,
    /// How sums are converted to results.
    pub results: Results,
    /// The address of the first result.
    pub c: *mut u8,
    /// The distance between rows of results, in bytes.
    pub stride: usize,
    /// The number of results per row.
    pub columns: usize,
}

impl Product {
    /// Whether it has one row, weights in the second-level cache, and results that are bytes without special cases.
    #[inline(always)]
    pub(super) fn is_plain_row(&self) -> bool {
        let is_plain = matches!(&self.results, Results::Bytes(to) if to.is_far && to.row_terms.is_null());
        self.rows == 1 && self.cached == Cached::Yes && is_plain
    }
}

/// Whether a layer's weights stay in the second-level cache from one run to the next. If not, they are prefetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cached {
    /// They are small enough.
    Yes,
    /// They are larger, or other data replaces them.
    No,
}

impl Cached {
    /// Of a layer with this number of bytes of weights.
    #[inline]
    pub fn of(bytes: usize) -> Cached {
        if bytes <= SECOND_LEVEL { Cached::Yes } else { Cached::No }
    }

    /// How far ahead of their use weights are prefetched, in bytes.
    #[inline(always)]
    pub(super) fn ahead(self) -> usize {
        match self {
            Cached::Yes => 0,
            Cached::No => AHEAD,
        }
    }
}

/// The size of a second-level cache. To prefetch weights that it has costs time.
const SECOND_LEVEL: usize = 1 << 20;

/// The sizes of a layer's products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductSizes {
    /// The number of rows of all products.
    pub rows: usize,
    /// The number of taps.
    pub taps: usize,
    /// The number of bytes per row and tap.
    pub k: usize,
    /// The number of results per row.
    pub columns: usize,
}

/// How far a row may be read. Bytes past `k` are multiplied by weights of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Up to `k` bytes.
    Exact,
    /// Up to the next multiple of four.
    Groups,
    /// Up to the next multiple of 64.
    Lines,
}

impl Extent {
    /// The reach of rows of `k` bytes from which the given number of bytes may be read.
    #[inline]
    pub fn of(k: usize, readable: usize) -> Extent {
        if k.next_multiple_of(LINE) <= readable {
            Extent::Lines
        } else if k.next_multiple_of(4) <= readable {
            Extent::Groups
        } else {
            Extent::Exact
        }
    }
}

/// The size of a line of an AMX tile in bytes.
pub(super) const LINE: usize = 64;
