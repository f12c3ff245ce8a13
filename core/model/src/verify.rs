//! Verification at load: the structure of a flatbuffer, then the meaning of every field.
//!
//! Each check is linear in what one walk of all tables reads (names in a signature: `n log n`), and that
//! is limited by `schema::verify_root`. What TFLite itself refuses: tflite/core/interpreter_builder.cc,
//! tflite/core/tools/verifier.cc.

mod graph;
mod quantization;
mod signatures;
mod sparsity;
mod tensors;

pub(crate) use sparsity::MAX_LEVELS;

use crate::error::{ModelError, Path};
use crate::model::file_range;
use crate::schema::{self, ModelTable};

type Checked = Result<(), ModelError>;

/// Verifies identifier and flatbuffers structure.
pub(crate) fn structure(bytes: &[u8]) -> Result<ModelTable<'_>, ModelError> {
    let found = bytes.first_chunk::<8>().ok_or(ModelError::TooShort { bytes: bytes.len() })?;
    let [.., a, b, c, d] = *found;
    if [a, b, c, d] != *b"TFL3" {
        return Err(ModelError::Identifier { found: [a, b, c, d] });
    }
    Ok(schema::verify_root(bytes)?)
}

/// Entries of scratch space that `semantics` needs.
pub(crate) fn scratch_len(root: ModelTable<'_>) -> usize {
    let tensors = root.subgraphs().iter().map(|graph| graph.tensors().len());
    let signatures = root.signature_defs().iter();
    let names = signatures.map(|signature| signature.inputs().len().max(signature.outputs().len()));
    tensors.chain(names).chain([root.signature_defs().len()]).max().unwrap_or(0)
}

/// Verifies everything that the structure does not say.
pub(crate) fn semantics(root: ModelTable<'_>, scratch: &mut [u32]) -> Checked {
    if root.version() != 3 {
        return Err(ModelError::SchemaVersion { found: root.version() });
    }
    if root.subgraphs().is_empty() {
        return Err(ModelError::Missing { path: Path::root().field("subgraphs") });
    }
    buffers(root)?;
    operator_codes(root)?;
    let mut budget = tensors::StringBudget::for_file(root.bytes().len());
    for (index, graph) in root.subgraphs().iter().enumerate() {
        let path = Path::root().entry("subgraphs", index);
        tensors::verify(root, graph, path, &mut budget)?;
        graph::verify(root, graph, path, scratch)?;
    }
    signatures::verify(root, scratch)
}

fn buffers(root: ModelTable<'_>) -> Checked {
    for (index, buffer) in root.buffers().iter().enumerate() {
        let (offset, size) = (buffer.offset(), buffer.size());
        if offset > 1 && file_range(root.bytes(), offset, size).is_none() {
            let path = Path::root().entry("buffers", index);
            return Err(ModelError::FileRange { path, offset, size, file: root.bytes().len() });
        }
    }
    for (index, entry) in root.metadata().iter().enumerate() {
        let path = || Path::root().entry("metadata", index).field("buffer");
        check_index(i64::from(entry.buffer()), root.buffers().len(), "buffer", "model", path)?;
    }
    Ok(())
}

fn operator_codes(root: ModelTable<'_>) -> Checked {
    for (index, code) in root.operator_codes().iter().enumerate() {
        let path = Path::root().entry("operator_codes", index);
        let builtin = code.builtin_code();
        if builtin < 0 {
            let (path, found) = (path.field("builtin_code"), i64::from(builtin));
            return Err(ModelError::Value { path, found, expected: "0 or more" });
        }
        if builtin == crate::CUSTOM && code.custom_code().is_none_or(str::is_empty) {
            return Err(ModelError::Missing { path: path.field("custom_code") });
        }
    }
    Ok(())
}

/// Whether `index` points into a list of `count` entries; gives it back as such.
fn check_index(
    index: i64,
    count: usize,
    what: &'static str,
    owner: &'static str,
    path: impl FnOnce() -> Path,
) -> Result<usize, ModelError> {
    match usize::try_from(index) {
        Ok(valid) if valid < count => Ok(valid),
        _ => Err(ModelError::Index { path: path(), what, index, owner, count }),
    }
}
