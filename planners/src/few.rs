//! `Records`: few records, each with room for its offset, however they are kept. Planners that need no memory of their own walk these.

use arenite_abi::prelude::*;

use crate::validate;

/// Records and their offsets.
pub trait Records {
    /// How many there are.
    fn count(&self) -> usize;
    /// Record `i`.
    fn record(&self, i: usize) -> UsageRecord;
    /// The offset that record `i` was given last.
    fn offset(&self, i: usize) -> u64;
    /// Gives record `i` an offset; `u64::MAX` says that it has none yet.
    fn set_offset(&mut self, i: usize, offset: u64);
}

/// Records in one list, their offsets in another one.
pub struct Lists<'l> {
    records: &'l [UsageRecord],
    offsets: &'l mut [u64],
}

impl<'l> Lists<'l> {
    /// An error unless both are as long.
    pub fn new(records: &'l [UsageRecord], offsets: &'l mut [u64]) -> Result<Self> {
        validate::same_length(records, offsets)?;
        Ok(Lists { records, offsets })
    }
}

impl Records for Lists<'_> {
    fn count(&self) -> usize {
        self.records.len()
    }

    fn record(&self, i: usize) -> UsageRecord {
        self.records[i]
    }

    fn offset(&self, i: usize) -> u64 {
        self.offsets[i]
    }

    fn set_offset(&mut self, i: usize, offset: u64) {
        self.offsets[i] = offset;
    }
}
