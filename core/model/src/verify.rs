//! Verifies a model when it is loaded: the structure of the flatbuffer, then the meaning of every field.
//!
//! Each check is linear in the data that one walk over all tables reads, which `schema::verify_root` limits (`n log n`
//! for the names in a signature). Checks of TFLite: tflite/core/interpreter_builder.cc, tflite/core/tools/verifier.cc.

mod check;
mod external;
mod graph;
mod quantization;
#[cfg(feature = "alloc")]
mod signatures;
#[cfg(feature = "sparse")]
mod sparsity;
mod tensors;

#[cfg(feature = "sparse")]
pub(crate) use sparsity::MAX_LEVELS;

use check::{Check, check_index};

use crate::buffers::file_range;
use crate::detail::detail;
use crate::error::ModelError;
use crate::external::Groups;
use crate::model::Model;
use crate::path::Path;
use crate::schema::{self, ModelTable};

impl<'a> Model<'a> {
    /// Verifies all of `bytes` and borrows it.
    ///
    /// Allocates one vector of 4 bytes per tensor of the largest subgraph for verification, and nothing afterwards.
    ///
    /// # Errors
    /// A [`ModelError`] for the first invalid field.
    #[cfg(feature = "alloc")]
    pub fn new(bytes: &'a [u8]) -> Result<Self, ModelError> {
        Self::with_groups(structure(bytes)?, Groups::NONE)
    }

    /// Verifies a model in memory of the caller. `scratch` is used during the call only, and needs one entry per tensor
    /// of the largest subgraph. Without the feature `alloc` signatures are not verified.
    ///
    /// # Errors
    /// As for [`Model::new`], and [`ModelError::ScratchTooSmall`] with the number of entries needed.
    pub fn new_in(bytes: &'a [u8], scratch: &mut [u32]) -> Result<Self, ModelError> {
        let root = structure(bytes)?;
        let (given, needed) = (scratch.len(), scratch_len(root));
        let scratch =
            scratch.get_mut(..needed).ok_or(ModelError::ScratchTooSmall { given: detail(given), needed })?;
        let model = Model { root, groups: Groups::NONE };
        semantics(model, scratch)?;
        Ok(model)
    }

    /// The model of this table, with constants in other files. Verifies everything but the structure.
    #[cfg(feature = "alloc")]
    pub(crate) fn with_groups(root: ModelTable<'a>, groups: Groups<'a>) -> Result<Self, ModelError> {
        let model = Model { root, groups };
        semantics(model, &mut alloc::vec![0u32; scratch_len(root)])?;
        Ok(model)
    }
}

/// Verifies the identifier and the flatbuffers structure.
pub(crate) fn structure(bytes: &[u8]) -> Result<ModelTable<'_>, ModelError> {
    let found = bytes.first_chunk::<8>().ok_or(ModelError::TooShort { bytes: detail(bytes.len()) })?;
    let [.., a, b, c, d] = *found;
    if [a, b, c, d] != *b"TFL3" {
        return Err(ModelError::Identifier { found: [a, b, c, d] });
    }
    Ok(schema::verify_root(bytes)?)
}

/// The number of scratch entries that `semantics` needs.
pub(crate) fn scratch_len(root: ModelTable<'_>) -> usize {
    root.subgraphs().iter().map(|graph| graph.tensors().len()).max().unwrap_or(0)
}

/// Verifies everything beyond the structure.
pub(crate) fn semantics(model: Model<'_>, scratch: &mut [u32]) -> Check {
    let root = model.root;
    if root.version() != 3 {
        return Err(ModelError::SchemaVersion { found: detail(root.version()) });
    }
    if root.subgraphs().is_empty() {
        return Err(ModelError::Missing { path: Path::root().field("subgraphs") });
    }
    buffers(root)?;
    #[cfg(feature = "std")]
    external::verify(root)?;
    operator_codes(root)?;
    let mut budget = tensors::StringBudget::for_model(model);
    for (index, graph) in root.subgraphs().iter().enumerate() {
        let path = Path::root().entry("subgraphs", index);
        tensors::verify(model, graph, path, &mut budget)?;
        graph::verify(model, graph, path, scratch)?;
    }
    // Boards name tensors by index.
    #[cfg(feature = "alloc")]
    signatures::verify(root)?;
    Ok(())
}

fn buffers(root: ModelTable<'_>) -> Check {
    for (index, buffer) in root.buffers().iter().enumerate() {
        let (offset, size) = (buffer.offset(), buffer.size());
        if offset > 1 && file_range(root.bytes(), offset, size).is_none() {
            let path = Path::root().entry("buffers", index);
            return Err(ModelError::FileRange {
                path,
                offset: detail(offset),
                size: detail(size),
                file: detail(root.bytes().len()),
            });
        }
    }
    for (index, entry) in root.metadata().iter().enumerate() {
        let path = || Path::root().entry("metadata", index).field("buffer");
        check_index(i64::from(entry.buffer()), root.buffers().len(), "buffer", "model", path)?;
    }
    Ok(())
}

fn operator_codes(root: ModelTable<'_>) -> Check {
    for (index, code) in root.operator_codes().iter().enumerate() {
        let path = Path::root().entry("operator_codes", index);
        let builtin = code.builtin_code();
        if builtin < 0 {
            let (path, found) = (path.field("builtin_code"), i64::from(builtin));
            return Err(ModelError::Value { path, found: detail(found), expected: detail("0 or more") });
        }
        if builtin == crate::CUSTOM && code.custom_code().is_none_or(str::is_empty) {
            return Err(ModelError::Missing { path: path.field("custom_code") });
        }
    }
    Ok(())
}
