//! Verifies tensors: element type, shape, constant data.
//! Checks of TFLite: tflite/core/subgraph.cc (SetTensorParametersReadOnly), tflite/core/tools/verifier.cc.

use super::check::{Check, check_index};
#[cfg(feature = "sparse")]
use super::sparsity::stored_elements;
use super::{external, quantization};
use crate::detail::detail;
use crate::error::ModelError;
use crate::model::Model;
use crate::path::Path;
#[cfg(not(feature = "sparse"))]
use crate::schema::SparsityParameters;
use crate::schema::{List, SubGraph, Tensor};
use crate::types::{packed_bytes, tensor_type};

/// Verifies all tensors of one subgraph.
pub(super) fn verify(model: Model<'_>, graph: SubGraph<'_>, path: Path, budget: &mut StringBudget) -> Check {
    let count = graph.tensors().len();
    for (index, tensor) in graph.tensors().iter().enumerate() {
        let path = path.entry("tensors", index);
        let bits = shape_and_type(&tensor, path)?;
        quantization::verify(&tensor, count, path)?;
        let buffers = model.buffer_count();
        if tensor.buffer() != 0 {
            let at = || path.field("buffer");
            check_index(i64::from(tensor.buffer()), buffers, "buffer", "model", at)?;
        }
        if tensor.external_buffer() != 0 {
            external::tensor(model, &tensor, path)?;
        }
        if let Some(data) = model.constant(&tensor) {
            constant_data(&tensor, data, bits, path, budget)?;
        }
    }
    Ok(())
}

/// Verifies type and shape, and returns the bits per element.
fn shape_and_type(tensor: &Tensor<'_>, path: Path) -> Result<u32, ModelError> {
    let found = i64::from(tensor.element_type());
    let unknown = || ModelError::Value {
        path: path.field("type"),
        found: detail(found),
        expected: detail("a known element type"),
    };
    let bits = tensor_type::bits(tensor.element_type()).ok_or_else(unknown)?;
    no_dim_below(tensor.shape(), 0, "0 or more", "shape", path)?;
    no_dim_below(tensor.shape_signature(), -1, "-1 or more", "shape_signature", path)?;
    let (rank, signature) = (tensor.shape().len(), tensor.shape_signature().len());
    if signature != 0 && signature != rank {
        let path = path.field("shape_signature");
        let because = "one per dimension of shape";
        return Err(ModelError::Length {
            path,
            found: detail(signature),
            expected: detail(rank),
            because: detail(because),
        });
    }
    let bytes = tensor.element_count().and_then(|count| packed_bytes(count, bits.max(8)));
    bytes.ok_or(ModelError::ShapeOverflow { path: path.field("shape") })?;
    Ok(bits)
}

fn no_dim_below(
    dims: List<'_, i32>,
    least: i32,
    expected: &'static str,
    field: &'static str,
    path: Path,
) -> Check {
    match dims.iter().enumerate().find(|&(_, dim)| dim < least) {
        Some((index, dim)) => Err(ModelError::Value {
            path: path.entry(field, index),
            found: detail(i64::from(dim)),
            expected: detail(expected),
        }),
        None => Ok(()),
    }
}

/// Checks that the data has the size that type and shape require.
fn constant_data(
    tensor: &Tensor<'_>,
    data: &[u8],
    bits: u32,
    path: Path,
    budget: &mut StringBudget,
) -> Check {
    if tensor.is_variable() {
        let what = "a variable with constant data";
        return Err(ModelError::Unsupported { path: path.field("is_variable"), what: detail(what) });
    }
    let elements = match tensor.sparsity() {
        Some(parameters) => stored_elements(&parameters, tensor.shape(), path.field("sparsity"))?,
        None => tensor.element_count().ok_or(ModelError::ShapeOverflow { path: path.field("shape") })?,
    };
    let field = if tensor.external_buffer() == 0 { "buffer" } else { "external_buffer" };
    if tensor.element_type() == tensor_type::STRING {
        return strings(data, elements, path.field(field), budget);
    }
    if bits == 0 {
        return Ok(());
    }
    let needed =
        packed_bytes(elements, bits).ok_or(ModelError::ShapeOverflow { path: path.field("shape") })?;
    if data.len() < needed {
        return Err(ModelError::DataSize {
            path: path.field(field),
            found: detail(data.len()),
            needed: detail(needed),
        });
    }
    Ok(())
}

#[cfg(not(feature = "sparse"))]
fn stored_elements(_: &SparsityParameters<'_>, _: List<'_, i32>, path: Path) -> Result<usize, ModelError> {
    Err(ModelError::Unsupported { path, what: detail("a sparse constant without the feature `sparse`") })
}

/// How many more string offsets may be read; limited because tensors can share a buffer.
pub(super) struct StringBudget(usize);

impl StringBudget {
    pub(super) fn for_model(model: Model<'_>) -> Self {
        StringBudget(model.groups.size().saturating_add(model.bytes().len()).saturating_mul(4))
    }
}

/// Verifies a string tensor's buffer: a count, `count + 1` offsets from the start of the buffer, and the text. All
/// numbers are little-endian u32.
fn strings(data: &[u8], elements: usize, path: Path, budget: &mut StringBudget) -> Check {
    let fault =
        |reason, found: u64| ModelError::Strings { path, reason: detail(reason), found: detail(found) };
    let (count, rest) = data.split_first_chunk::<4>().ok_or(fault("no count of strings", 0))?;
    let count = u32::from_le_bytes(*count) as usize;
    if count != elements {
        return Err(fault("the count differs from the shape's number of elements", count as u64));
    }
    let table = count.checked_add(1).and_then(|offsets| offsets.checked_mul(4));
    let table = table.and_then(|bytes| rest.get(..bytes));
    let table = table.ok_or(fault("the offsets do not fit into the buffer", count as u64))?;
    budget.0 = budget.0.checked_sub(table.len()).ok_or(ModelError::TooMuchSharing { path })?;
    let mut previous = table.len() + 4;
    for (index, offset) in table.chunks_exact(4).enumerate() {
        let offset = offset.iter().rev().fold(0usize, |value, &byte| value << 8 | usize::from(byte));
        if offset < previous {
            return Err(fault("an offset is less than the previous one", index as u64));
        }
        if offset > data.len() {
            return Err(fault("an offset is beyond the buffer", index as u64));
        }
        previous = offset;
    }
    Ok(())
}
