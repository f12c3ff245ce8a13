//! The `.tflite` schema in readable form: `tables` declares each table in a few lines, and `table!` (`macros`) derives
//! its accessors and verification. `reader` and `verifier` read and verify flatbuffers without a heap.
//!
//! Defined by: tflite/converter/schema/schema.fbs. Accepts and rejects exactly the same files as the crate
//! `flatbuffers`; tests/flatbuffers.rs compares both.

#[macro_use]
mod macros;
mod item;
mod kinds;
mod list;
mod reader;
// One macro declares public and private tables.
#[allow(unreachable_pub)]
mod tables;
#[allow(unsafe_code)]
mod text;
mod unions;
#[allow(unsafe_code)]
mod verified;
mod verifier;

pub use list::{List, Tables};
pub use tables::*;
pub use unions::RawTable;
pub use verified::LinearScales;
pub use verifier::Malformed;

use item::{Item, Width};
use kinds::{TableKind, UnionKind};
use reader::Table;
use verifier::{Field, FieldForm, Schema, Verifier};

/// The largest part of a file that flatbuffers offsets (signed, 32 bits) can reach. Data beyond it is external.
const REACH: usize = i32::MAX as usize;

/// More than the root has now, because newer schemas may add fields.
#[cfg(feature = "std")]
const MOST_FIELDS: u16 = 16;

/// The fields and variants that the verifier knows.
const SCHEMA: Schema = Schema {
    fields: |kind| {
        kinds!(kind, FIELDS: TableKind::
            BlockwiseQuantization, Buffer, CustomQuantization, DimensionMetadata, ExternalBuffer, ExternalBufferGroup,
            Int32Vector, Metadata, ModelTable, MultiAxisQuantization, Operator, OperatorCode, QuantizationParameters,
            SignatureDef, SparsityParameters, SubGraph, Tensor, TensorMap, Uint16Vector, Uint8Vector, VariantSubType,
        )
    },
    variants: |kind| kinds!(kind, VARIANTS: UnionKind:: QuantizationDetails, RawTable, SparseIndexVector,),
};

/// Verifies the flatbuffers structure of `bytes` and returns its root table.
///
/// Tables and vectors may be shared, so a small file can describe a huge structure. The bytes read in one walk over all
/// tables are limited to a multiple of the file's size.
pub(crate) fn verify_root(bytes: &[u8]) -> Result<ModelTable<'_>, Malformed> {
    let reachable = bytes.get(..REACH).unwrap_or(bytes);
    let mut verifier =
        Verifier::new(reachable, &SCHEMA, reachable.len().saturating_mul(16).saturating_add(4096));
    let root = verifier.follow(0)?;
    verifier.table(root, Some(TableKind::ModelTable))?;
    Ok(root_at(bytes, root))
}

/// The root table at `position`, where `verify_root` found it in the same bytes.
pub(crate) fn root_at(bytes: &[u8], position: usize) -> ModelTable<'_> {
    ModelTable(Table::new(bytes, position))
}

impl<'a> ModelTable<'a> {
    /// The bytes of the whole file.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.0.file
    }

    /// The fields present in the file, known or not, with their positions. All but the version are distances.
    #[cfg(feature = "std")]
    pub(crate) fn fields(&self) -> Vec<(u16, usize)> {
        let field = |slot| Some((slot, reader::follow(self.0.file, self.0.field(slot)?)?));
        (0..MOST_FIELDS).filter_map(field).collect()
    }

    /// Positions of all offsets that count from the start of the file, each once: the offsets of data and options after
    /// the flatbuffer.
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
    /// The bytes of the whole file.
    pub(crate) fn file(&self) -> &'a [u8] {
        self.0.file
    }
}

impl<'a> Tensor<'a> {
    /// The bytes of the name, verified to be UTF-8.
    pub fn name_bytes(&self) -> &'a [u8] {
        self.0.bytes(3).unwrap_or(&[])
    }
}
