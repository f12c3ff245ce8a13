//! `Records`: a small set of records and their offsets, stored in any form. Planners that allocate no memory work on
//! it.

use arenite_abi::prelude::*;

use crate::validate;

/// Records and their offsets.
pub trait Records {
    /// The number of records.
    fn count(&self) -> usize;
    /// Record `i`.
    fn record(&self, i: usize) -> UsageRecord;
    /// The current offset of record `i`.
    fn offset(&self, i: usize) -> u64;
    /// Sets the offset of record `i`; `u64::MAX` means that it is not placed yet.
    fn set_offset(&mut self, i: usize, offset: u64);
}

/// Records in one slice, their offsets in another.
pub struct Lists<'l> {
    records: &'l [UsageRecord],
    offsets: &'l mut [u64],
}

impl<'l> Lists<'l> {
    /// The records, and room for their offsets.
    ///
    /// # Errors
    /// The slices differ in length.
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
