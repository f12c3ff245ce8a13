//! Accessors of the schema's unions, whose tag decides which table they hold.

use super::SparseIndexVector;
use super::kinds::TableKind;
use super::reader::Table;

/// An options table that is read by slot. Only its vtable is verified to be inside the file, so each access to a field
/// must check its bounds.
#[derive(Clone, Copy)]
pub struct RawTable<'a> {
    /// Which table of the union this is; never 0.
    pub tag: u8,
    /// The bytes of the file, in which offsets are followed.
    pub buffer: &'a [u8],
    /// Position of the table in `buffer`.
    pub position: usize,
}

impl<'a> RawTable<'a> {
    /// Accepts every tag, and no field is known.
    pub(super) const VARIANTS: &'static [(u8, TableKind)] = &[];

    pub(super) fn new(tag: u8, table: Table<'a>) -> Self {
        RawTable { tag, buffer: table.file, position: table.at }
    }
}

impl core::fmt::Debug for RawTable<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "RawTable(tag {}, at byte {})", self.tag, self.position)
    }
}

impl SparseIndexVector<'_> {
    /// The number of entries; 0 for an unknown representation.
    pub fn len(&self) -> usize {
        match self {
            SparseIndexVector::Int32(v) => v.values().len(),
            SparseIndexVector::Uint16(v) => v.values().len(),
            SparseIndexVector::Uint8(v) => v.values().len(),
            SparseIndexVector::Unknown(_) => 0,
        }
    }

    /// Whether the vector is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at `index`; `None` if out of range.
    pub fn get(&self, index: usize) -> Option<i32> {
        match self {
            SparseIndexVector::Int32(v) => v.values().get(index),
            SparseIndexVector::Uint16(v) => v.values().get(index).map(i32::from),
            SparseIndexVector::Uint8(v) => v.values().get(index).map(i32::from),
            SparseIndexVector::Unknown(_) => None,
        }
    }
}
