//! What sums become: bytes, reals, or themselves.

use crate::requantize::{Bytes, Channels};
use crate::rescale::{Limits, QuantizedRow, RealChannels};

/// What sums become.
#[derive(Clone, Copy)]
pub enum Results {
    /// Bytes.
    Bytes(ToBytes),
    /// `f32`.
    Reals(ToReals),
    /// Themselves, in whole vectors: rows have room for them.
    Sums,
}

/// From sums to bytes.
#[derive(Clone, Copy)]
pub struct ToBytes {
    /// The channels of the columns, from the first on.
    pub channels: *const i64,
    /// Whether they need the general way of scaling.
    pub is_general: bool,
    /// What the results become.
    pub bytes: Bytes,
    /// One per row, added to its sums; or null.
    pub row_terms: *const i32,
}

/// From sums to `f32`.
#[derive(Clone, Copy)]
pub struct ToReals {
    /// The channels of the columns, from the first on.
    pub channels: *const u32,
    /// One per row.
    pub rows: *const QuantizedRow,
    /// The range of results.
    pub limits: Limits,
}

impl Results {
    /// Those of the columns behind so many blocks of `lanes`.
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

    /// Bytes of a result.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        match self {
            Results::Bytes(_) => 1,
            Results::Reals(_) | Results::Sums => 4,
        }
    }
}
