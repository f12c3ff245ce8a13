//! Reads the schema's tables with the crate `flatbuffers`: its errors in the words of `arenite_model`, and its values.

#[macro_use]
mod macros;
#[path = "../../src/schema/tables.rs"]
mod tables;

use flatbuffers::{
    ErrorTraceDetail, Follow, ForwardsUOffset, InvalidFlatbuffer, Table, TableVerifier, Vector, Verifiable,
    Verifier, VerifierOptions,
};
use std::fmt::Write;

type Verified = Result<(), InvalidFlatbuffer>;

/// The error of `flatbuffers` for a file. If it accepts the file, checks that all fields of the model read by
/// `arenite_model` have the same values.
pub fn refusal(bytes: &[u8]) -> Option<String> {
    root(bytes).err().map(text)
}

/// Compares every field below the root.
pub fn compare(bytes: &[u8], model: arenite_model::Model<'_>) {
    let root = root(bytes).expect("the file was accepted");
    assert_eq!(root.version(), model.version());
    assert_eq!(root.description(), model.description());
    root.subgraphs(model.subgraphs());
    root.operator_codes(model.operator_codes());
    root.signature_defs(model.signatures());
}

fn root(bytes: &[u8]) -> Result<tables::ModelTable<'_>, InvalidFlatbuffer> {
    let options = VerifierOptions {
        max_depth: 32,
        max_tables: bytes.len(),
        max_apparent_size: bytes.len() * 16 + 4096,
        ignore_missing_null_terminator: true,
    };
    flatbuffers::root_with_opts::<tables::ModelTable<'_>>(&options, bytes)
}

/// Byte offset of field `slot` in a vtable.
const fn slot(slot: u16) -> u16 {
    2 * (slot + 2)
}

/// Verifies the union whose tag is in slot `tag_slot` and whose table is in the next slot.
fn verify_union<'ver, 'opts, 'buf>(
    mut fields: TableVerifier<'ver, 'opts, 'buf>,
    tag_slot: u16,
    verify: fn(u8, &mut Verifier<'_, '_>, usize) -> Verified,
) -> Result<TableVerifier<'ver, 'opts, 'buf>, InvalidFlatbuffer> {
    let tag_position = fields.deref(slot(tag_slot))?;
    let offset_position = fields.deref(slot(tag_slot + 1))?;
    if let Some(tag_position) = tag_position {
        let tag = fields.verifier().get_u8(tag_position)?;
        if let (Some(at), true) = (offset_position, tag != 0) {
            let offset = fields.verifier().get_uoffset(at)? as usize;
            verify(tag, fields.verifier(), at.saturating_add(offset))?;
        }
    }
    Ok(fields)
}

/// An options table.
struct RawTable;

impl RawTable {
    fn verify_variant(_: u8, verifier: &mut Verifier<'_, '_>, position: usize) -> Verified {
        verifier.visit_table(position)?.finish();
        Ok(())
    }

    fn same(tag: u8, table: Table<'_>, ours: &arenite_model::RawTable<'_>) {
        assert_eq!((tag, table.loc()), (ours.tag, ours.position));
    }
}

fn text(error: InvalidFlatbuffer) -> String {
    use InvalidFlatbuffer::*;
    let (what, trace) = match &error {
        Utf8Error { range, error_trace, .. } => {
            (format!("text in bytes {range:?} is not UTF-8"), error_trace.as_ref())
        }
        Unaligned { position, unaligned_type, error_trace } => {
            let offset = unaligned_type.contains("ForwardsUOffset");
            let what = if offset { "offset" } else { unaligned_type };
            (format!("{what} at byte {position} is not aligned"), error_trace.as_ref())
        }
        RangeOutOfBounds { range, error_trace } => {
            (format!("bytes {range:?} are outside the file"), error_trace.as_ref())
        }
        SignedOffsetOutOfBounds { position, soffset, error_trace } => {
            (format!("offset {soffset} at byte {position} leads outside the file"), error_trace.as_ref())
        }
        TooManyTables => ("too many tables".into(), [].as_slice()),
        ApparentSizeTooLarge => {
            ("tables share so much data that the file is too expensive to read".into(), [].as_slice())
        }
        DepthLimitReached => ("tables are nested too deeply".into(), [].as_slice()),
        other => panic!("{other:?}"),
    };
    let mut text = format!("malformed file: {what}");
    for (depth, step) in trace.iter().rev().enumerate() {
        let before = if depth == 0 { " in " } else { "." };
        _ = match step {
            ErrorTraceDetail::VectorElement { index, .. } => write!(text, "[{index}]"),
            ErrorTraceDetail::TableField { field_name, .. } => write!(text, "{before}{field_name}"),
            ErrorTraceDetail::UnionVariant { variant, .. } => write!(text, "<{variant}>"),
        };
    }
    if matches!(error, RangeOutOfBounds { .. } | SignedOffsetOutOfBounds { .. }) {
        text += "; is the file truncated?";
    }
    text
}
