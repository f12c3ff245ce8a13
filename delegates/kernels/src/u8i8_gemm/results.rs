//! How sums are converted to results: to bytes, to reals, or not at all.

use crate::requantize::{Bytes, Channels};
use crate::rescale::{QuantizedRow, RealChannels};
use crate::simd::Ints;
use arenite_base::Clamp;

/// How sums are converted to results.
#[derive(Clone, Copy)]
pub enum Results {
    /// To bytes.
    Bytes(ToBytes),
    /// To `f32`.
    Reals(ToReals),
    /// Not at all: results are sums, in whole vectors, for which rows must have room.
    Sums,
}

/// The parameters of the conversion to bytes.
#[derive(Clone, Copy)]
pub struct ToBytes {
    /// The channels of the columns, starting at the first column.
    pub channels: *const i64,
    /// Whether all channels round up and shift to the right by 32 or more.
    pub is_far: bool,
    /// Whether all channels shift to the right by 32 or more, none to the left, and some round away from zero.
    pub is_away: bool,
    /// The output range.
    pub bytes: Bytes,
    /// The number that is added to the sums of each row; or null.
    pub row_terms: *const i32,
}

/// The parameters of the conversion to `f32`.
#[derive(Clone, Copy)]
pub struct ToReals {
    /// The channels of the columns, starting at the first column.
    pub channels: *const u32,
    /// The quantization of each row.
    pub rows: *const QuantizedRow,
    /// The range of results.
    pub limits: Clamp,
}

impl ToBytes {
    /// The conversion by channels of a table, starting with `first`, with a term per row or null.
    pub fn new(table: &Channels, first: *const i64, row_terms: *const i32) -> ToBytes {
        let Channels { is_far, is_away, bytes, .. } = *table;
        ToBytes { channels: first, is_far, is_away, bytes, row_terms }
    }

    /// Whether [`Ints::convert_rows`] converts rows of this number of columns, which have `V` vectors.
    #[inline(always)]
    pub(super) fn is_in_registers<S: Ints, const V: usize>(&self, columns: usize) -> bool {
        self.is_far && (S::CONVERTS_PARTS || columns == V * S::LANES)
    }
}

impl Results {
    /// The same, for the columns after the given number of blocks of `lanes`.
    #[inline(always)]
    pub(super) fn from(self, blocks: usize, lanes: usize) -> Results {
        match self {
            Results::Bytes(to) => {
                let channels = to.channels.wrapping_add(blocks * Channels::stride(lanes));
                Results::Bytes(ToBytes { channels, ..to })
            }
            Results::Reals(to) => {
                let channels = to.channels.wrapping_add(blocks * RealChannels::stride(lanes));
                Results::Reals(ToReals { channels, ..to })
            }
            Results::Sums => Results::Sums,
        }
    }

    /// The same, for the rows after this number of rows.
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    #[inline(always)]
    pub(super) fn after(self, rows: usize) -> Results {
        match self {
            Results::Bytes(to) if !to.row_terms.is_null() => {
                Results::Bytes(ToBytes { row_terms: to.row_terms.wrapping_add(rows), ..to })
            }
            Results::Reals(to) => Results::Reals(ToReals { rows: to.rows.wrapping_add(rows), ..to }),
            Results::Bytes(_) | Results::Sums => self,
        }
    }

    /// The size of a result in bytes.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        match self {
            Results::Bytes(_) => 1,
            Results::Reals(_) | Results::Sums => 4,
        }
    }
}
