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
mod verifier;

pub use list::{List, Tables};
pub use tables::*;
pub use unions::RawTable;
pub use verifier::Malformed;

use reader::{Item, Table};
use verifier::{Verified, Verifier};

/// Largest part of a file that flatbuffers offsets (signed, 32 bits) may reach; data beyond it is external.
const REACH: usize = i32::MAX as usize;

/// Verifies the flatbuffers structure of `bytes` and gives its root table.
///
/// Tables and vectors may be shared, so a small file can look large: what one walk of all tables reads
/// is limited to a multiple of the file's size.
pub(crate) fn verify_root(bytes: &[u8]) -> Result<ModelTable<'_>, Malformed> {
    let reachable = bytes.get(..REACH).unwrap_or(bytes);
    let mut verifier = Verifier::new(reachable, reachable.len().saturating_mul(16).saturating_add(4096));
    let root = verifier.follow(0)?;
    ModelTable::verify_at(&mut verifier, root)?;
    Ok(root_at(bytes, root))
}

/// The root table at `position`, where `verify_root` has found it in these bytes.
pub(crate) fn root_at(bytes: &[u8], position: usize) -> ModelTable<'_> {
    ModelTable(Table { file: bytes, at: position })
}

impl<'a> ModelTable<'a> {
    /// The whole file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.0.file
    }
}

impl<'a> Operator<'a> {
    /// The whole file.
    pub(crate) fn file(&self) -> &'a [u8] {
        self.0.file
    }
}
