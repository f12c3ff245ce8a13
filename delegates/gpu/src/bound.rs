//! Memory of a program: rows, and checks of sizes.

use arenite_abi::prelude::*;

/// Rows of floats that are dense in memory of a program and padded in memory of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddedRows {
    /// Number of rows.
    pub rows: usize,
    /// Floats of a row.
    pub floats: usize,
    /// The distance between rows in memory of the device, in floats.
    pub pitch: usize,
}

impl PaddedRows {
    /// Bytes in memory of the program.
    pub fn dense_bytes(&self) -> u64 {
        self.rows as u64 * self.floats as u64 * 4
    }

    /// Floats in memory of the device.
    pub fn padded_floats(&self) -> usize {
        self.rows * self.pitch
    }

    /// The same as one row if rows are not padded.
    pub fn joined(self) -> PaddedRows {
        match self.floats == self.pitch {
            true => PaddedRows { rows: 1, floats: self.padded_floats(), pitch: self.padded_floats() },
            false => self,
        }
    }
}

/// An error unless `bytes` bytes from `offset` on are inside an object of `size` bytes.
pub(crate) fn expect_inside(object: &str, size: u64, offset: u64, bytes: u64) -> Result<()> {
    if !offset.is_multiple_of(4) {
        return Err(invalid!("the offset {offset} in a {object} is not a multiple of 4"));
    }
    match offset.checked_add(bytes).is_some_and(|end| end <= size) {
        true => Ok(()),
        false => Err(invalid!("{bytes} bytes at offset {offset} are not in a {object} of {size} bytes")),
    }
}

/// The error if a tensor needs `needed` bytes of bound memory that has `bytes`.
pub(crate) fn expect_room(needed: u64, bytes: u64) -> Result<()> {
    match needed <= bytes {
        true => Ok(()),
        false => Err(invalid!("{needed} bytes are not in bound memory of {bytes} bytes")),
    }
}
