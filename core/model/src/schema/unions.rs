//! What the schema's unions have beside their tables: the tag decides which table it is.

use super::SparseIndexVector;
use super::reader::Table;
use super::verifier::Field;

/// An options table that the reader interprets by slot: only its vtable is verified to lie in the file,
/// each access to a field must check its bounds.
#[derive(Clone, Copy)]
pub struct RawTable<'a> {
    /// Which table of the union this is; never 0.
    pub tag: u8,
    /// The bytes that offsets are followed in.
    pub buffer: &'a [u8],
    /// Where the table begins in `buffer`.
    pub position: usize,
}

impl<'a> RawTable<'a> {
    /// Any tag may stand for a table of which no field is known.
    pub(super) const VARIANTS: &'static [(u8, &'static [Field])] = &[];

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
    /// Number of entries; 0 for an unknown representation.
    pub fn len(&self) -> usize {
        match self {
            SparseIndexVector::Int32(v) => v.values().len(),
            SparseIndexVector::Uint16(v) => v.values().len(),
            SparseIndexVector::Uint8(v) => v.values().len(),
            SparseIndexVector::Unknown(_) => 0,
        }
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entry `index`; `None` outside the vector.
    pub fn get(&self, index: usize) -> Option<i32> {
        match self {
            SparseIndexVector::Int32(v) => v.values().get(index),
            SparseIndexVector::Uint16(v) => v.values().get(index).map(i32::from),
            SparseIndexVector::Uint8(v) => v.values().get(index).map(i32::from),
            SparseIndexVector::Unknown(_) => None,
        }
    }
}
