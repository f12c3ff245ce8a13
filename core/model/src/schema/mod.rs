//! The `.tflite` schema, readable: each table of the format in a few lines (`tables`), made accessors and verification by `table!`
//! (`macros`), over a reader of flatbuffers (`reader`) and its verification (`verifier`) that need no heap.
//!
//! Defined by: tflite/converter/schema/schema.fbs. What is accepted and what is refused is what the crate `flatbuffers` would, byte by
//! byte: tests/flatbuffers.rs compares.

#[macro_use]
mod macros;
mod list;
mod reader;
mod tables;
mod unions;
#[allow(unsafe_code)]
mod verified;
mod verifier;

pub use list::{List, Tables};
pub use tables::*;
pub use unions::RawTable;
pub use verified::LinearScales;
pub use verifier::Malformed;

use reader::{Item, Table};
use verifier::{Field, Is, Verifier, Width};

/// Largest part of a file that flatbuffers offsets (signed, 32 bits) may reach; data beyond it is external.
const REACH: usize = i32::MAX as usize;

/// More fields than the root has: newer schemas may add some.
#[cfg(feature = "std")]
const MOST_FIELDS: u16 = 16;

/// Verifies the flatbuffers structure of `bytes` and gives its root table.
///
/// Tables and vectors may be shared, so a small file can look large: what one walk of all tables reads
/// is limited to a multiple of the file's size.
pub(crate) fn verify_root(bytes: &[u8]) -> Result<ModelTable<'_>, Malformed> {
    let reachable = bytes.get(..REACH).unwrap_or(bytes);
    let mut verifier = Verifier::new(reachable, reachable.len().saturating_mul(16).saturating_add(4096));
    let root = verifier.follow(0)?;
    verifier.table(root, ModelTable::FIELDS)?;
    Ok(root_at(bytes, root))
}

/// The root table at `position`, where `verify_root` has found it in these bytes.
pub(crate) fn root_at(bytes: &[u8], position: usize) -> ModelTable<'_> {
    ModelTable(Table::new(bytes, position))
}

impl<'a> ModelTable<'a> {
    /// The whole file.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.0.file
    }

    /// The fields that are there, known or not, and where they lead: all but the version are distances.
    #[cfg(feature = "std")]
    pub(crate) fn fields(&self) -> Vec<(u16, usize)> {
        let field = |slot| Some((slot, reader::follow(self.0.file, self.0.field(slot)?)?));
        (0..MOST_FIELDS).filter_map(field).collect()
    }

    /// Where the file has offsets that count from its beginning, each once: of data and options behind the flatbuffer.
    #[cfg(feature = "std")]
    pub(crate) fn absolute_offsets(&self) -> Vec<usize> {
        let buffers = self.buffers().iter().filter(|buffer| buffer.offset() > 1);
        let operators = self.subgraphs().iter().flat_map(|graph| graph.operators());
        let options = operators.filter(|operator| operator.large_custom_options_offset() > 1);
        let places =
            buffers.map(|buffer| buffer.0.field(1)).chain(options.map(|operator| operator.0.field(9)));
        let mut places: Vec<usize> = places.flatten().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

impl<'a> Operator<'a> {
    /// The whole file.
    pub(crate) fn file(&self) -> &'a [u8] {
        self.0.file
    }
}

impl<'a> Tensor<'a> {
    /// The bytes of its name, which were verified to be text.
    pub fn name_bytes(&self) -> &'a [u8] {
        self.0.bytes(3).unwrap_or(&[])
    }
}
