//! Verifies quantization parameters: scales, zero points, quantized dimension, details.
//! Checks of TFLite: tflite/core/interpreter_builder.cc (ParseQuantization).

use super::check::{Check, check_index};
use crate::detail::detail;
use crate::error::ModelError;
use crate::path::Path;
use crate::schema::{QuantizationDetails, QuantizationParameters, Tensor};
use crate::types::tensor_type;

/// Verifies the quantization of a tensor in a subgraph with `tensors` tensors.
pub(super) fn verify(tensor: &Tensor<'_>, tensors: usize, path: Path) -> Check {
    let Some(quantization) = tensor.quantization() else { return Ok(()) };
    let path = path.field("quantization");
    match quantization.details() {
        None | Some(QuantizationDetails::Custom(_) | QuantizationDetails::Unknown(_)) => {
            affine(tensor, quantization, path)
        }
        Some(QuantizationDetails::Blockwise(details)) => {
            let path = path.field("details");
            references(details.scales(), details.zero_points(), details.block_size(), tensors, path)?;
            dimension(tensor, quantization.quantized_dimension(), || path.field("quantized_dimension"))
                .map(|_| ())
        }
        Some(QuantizationDetails::MultiAxis(details)) => {
            let path = path.field("details");
            references(details.scales(), details.zero_points(), details.block_size(), tensors, path)?;
            if details.quantized_dimensions().is_empty() {
                return Err(ModelError::Missing { path: path.field("quantized_dimensions") });
            }
            for (index, axis) in details.quantized_dimensions().iter().enumerate() {
                dimension(tensor, axis, || path.entry("quantized_dimensions", index))?;
            }
            Ok(())
        }
    }
}

/// Verifies scales and zero points stored in the table itself.
fn affine(tensor: &Tensor<'_>, quantization: QuantizationParameters<'_>, path: Path) -> Check {
    let (scales, zero_points) = (quantization.scale(), quantization.zero_point());
    if scales.is_empty() {
        return Ok(());
    }
    if scales.len() > 1 {
        let at = || path.field("quantized_dimension");
        let axis = dimension(tensor, tensor.quantized_dimension(), at)?;
        let expected = tensor.shape().get(axis).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        if !tensor.shape().is_empty() && scales.len() != expected {
            let (path, because) = (path.field("scale"), "one, or one per slice of quantized_dimension");
            return Err(wrong_length(path, scales.len(), expected, because));
        }
    }
    if zero_points.len() != scales.len() && zero_points.len() != 1 {
        let (path, because) = (path.field("zero_point"), "one per scale");
        return Err(wrong_length(path, zero_points.len(), scales.len(), because));
    }
    let Some((least, most)) = tensor_type::quantized_range(tensor.element_type()) else { return Ok(()) };
    for (index, found) in scales.iter().enumerate() {
        if !found.is_finite() || found <= 0.0 {
            return Err(ModelError::Scale { path: path.entry("scale", index), found: detail(found) });
        }
    }
    match zero_points.iter().enumerate().find(|(_, zero_point)| !(least..=most).contains(zero_point)) {
        Some((index, found)) => {
            let path = path.entry("zero_point", index);
            Err(ModelError::Value {
                path,
                found: detail(found),
                expected: detail("a value of the tensor's element type"),
            })
        }
        None => Ok(()),
    }
}

fn wrong_length(path: Path, found: usize, expected: usize, because: &'static str) -> ModelError {
    ModelError::Length { path, found: detail(found), expected: detail(expected), because: detail(because) }
}

/// Checks that `axis` is a dimension of the tensor. A tensor without shape has unknown rank, so any axis is valid.
fn dimension(tensor: &Tensor<'_>, axis: i32, path: impl FnOnce() -> Path) -> Result<usize, ModelError> {
    let rank = tensor.shape().len();
    match usize::try_from(axis) {
        Ok(valid) if valid < rank || rank == 0 => Ok(valid),
        _ => Err(ModelError::Index {
            path: path(),
            what: detail("dimension"),
            index: detail(i64::from(axis)),
            owner: detail("the tensor"),
            count: detail(rank),
        }),
    }
}

/// Verifies quantization whose scales are in other tensors: tensor indices and block size.
fn references(scales: i32, zero_points: i32, block_size: i32, tensors: usize, path: Path) -> Check {
    let at = || path.field("scales");
    check_index(i64::from(scales), tensors, "tensor", "subgraph", at)?;
    if zero_points != -1 {
        let at = || path.field("zero_points");
        check_index(i64::from(zero_points), tensors, "tensor", "subgraph", at)?;
    }
    if block_size < 0 {
        let (path, found) = (path.field("block_size"), i64::from(block_size));
        return Err(ModelError::Value { path, found: detail(found), expected: detail("0 or more") });
    }
    Ok(())
}
