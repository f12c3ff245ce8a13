//! The schema's unions: a tag beside a table whose type the tag decides.
//! Defined by: tflite/converter/schema/schema.fbs.

use super::{
    BlockwiseQuantization, CustomQuantization, Int32Vector, MultiAxisQuantization, Uint8Vector, Uint16Vector,
    Verified, slot,
};
use flatbuffers::{Follow, Table, TableVerifier, Verifiable, Verifier};

/// What a union is read and verified with.
pub(super) trait Union<'a>: Sized {
    /// Verifies the table at `position` as the one that `tag` stands for.
    fn verify_variant(tag: u8, verifier: &mut Verifier<'_, '_>, position: usize) -> Verified;

    /// Reads `table` as the one that `tag` stands for.
    ///
    /// # Safety
    /// `verify_variant` must have accepted this tag and this table.
    unsafe fn follow_variant(tag: u8, table: Table<'a>) -> Self;
}

/// Verifies the union whose tag lies in slot `tag_slot` and whose table in the next one. A tag without a
/// table and a table without a tag both read as an absent union, as in TFLite.
pub(super) fn verify_union<'ver, 'opts, 'buf, U: Union<'buf>>(
    mut fields: TableVerifier<'ver, 'opts, 'buf>,
    tag_slot: u16,
) -> Result<TableVerifier<'ver, 'opts, 'buf>, flatbuffers::InvalidFlatbuffer> {
    let tag_position = fields.deref(slot(tag_slot))?;
    let offset_position = fields.deref(slot(tag_slot + 1))?;
    if let Some(tag_position) = tag_position {
        let tag = fields.verifier().get_u8(tag_position)?;
        if let (Some(at), true) = (offset_position, tag != 0) {
            let offset = fields.verifier().get_uoffset(at)? as usize;
            U::verify_variant(tag, fields.verifier(), at.saturating_add(offset))?;
        }
    }
    Ok(fields)
}

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

impl<'a> Union<'a> for RawTable<'a> {
    fn verify_variant(_tag: u8, verifier: &mut Verifier<'_, '_>, position: usize) -> Verified {
        verifier.visit_table(position)?.finish();
        Ok(())
    }

    unsafe fn follow_variant(tag: u8, table: Table<'a>) -> Self {
        RawTable { tag, buffer: table.buf(), position: table.loc() }
    }
}

impl core::fmt::Debug for RawTable<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "RawTable(tag {}, at byte {})", self.tag, self.position)
    }
}

/// Declares a union of known tables; tags beyond them read as `Unknown`.
macro_rules! union {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $tag:literal $variant:ident($table:ident),)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name<'a> {
            $($(#[$variant_doc])* $variant($table<'a>),)*
            /// A table that this crate does not know.
            Unknown(RawTable<'a>),
        }

        impl<'a> Union<'a> for $name<'a> {
            fn verify_variant(tag: u8, verifier: &mut Verifier<'_, '_>, position: usize) -> Verified {
                match tag {
                    $($tag => $table::run_verifier(verifier, position),)*
                    _ => RawTable::verify_variant(tag, verifier, position),
                }
            }

            unsafe fn follow_variant(tag: u8, table: Table<'a>) -> Self {
                // SAFETY: the caller promises that the table was verified for this tag.
                unsafe {
                    match tag {
                        $($tag => $name::$variant($table::follow(table.buf(), table.loc())),)*
                        _ => $name::Unknown(RawTable::follow_variant(tag, table)),
                    }
                }
            }
        }
    };
}

union! {
    /// Quantization that scale and zero point cannot express; when present they are ignored.
    QuantizationDetails {
        /// Free-form bytes.
        1 Custom(CustomQuantization),
        /// Scales per block of the quantized dimension.
        2 Blockwise(BlockwiseQuantization),
        /// Scales over several dimensions.
        3 MultiAxis(MultiAxisQuantization),
    }
}

union! {
    /// Segments or indices of a sparse dimension.
    SparseIndexVector {
        /// 32-bit entries.
        1 Int32(Int32Vector),
        /// 16-bit entries.
        2 Uint16(Uint16Vector),
        /// 8-bit entries.
        3 Uint8(Uint8Vector),
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
