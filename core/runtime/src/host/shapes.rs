//! Shapes that plugins give: what each must keep to, in `prepare` as in `eval`.

use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_VARIABLE};
use arenite_abi::{ElementType, Status};

use super::{Refused, invalid};
use crate::stages::table::{MAX_RANK, TensorTable};

pub(super) fn element_type(tensors: &TensorTable, t: usize) -> ElementType {
    ElementType::from_raw(tensors.get(t).element_type).unwrap_or(ElementType::F32)
}

/// Checks a shape that a plugin gives to an output: rank, signs, size, and that a variable keeps its size.
pub(super) fn check_new_shape(
    tensors: &TensorTable,
    t: usize,
    output: u32,
    dims: &[i32],
    limit: u64,
) -> Result<(), Refused> {
    if dims.len() > MAX_RANK {
        let message = format!("output {output} would have rank {}, the highest is {MAX_RANK}", dims.len());
        return Err(invalid(message));
    }
    if dims.iter().any(|&d| d < 0) {
        return Err(invalid(format!("output {output} would have shape {dims:?}; a dimension is negative")));
    }
    let raw = tensors.get(t);
    if raw.flags & TENSOR_CONSTANT != 0 {
        return Err(invalid(format!("output {output} is constant")));
    }
    let ty = element_type(tensors, t);
    if ty.bits() == 0 {
        return Ok(());
    }
    let bytes = bytes_of(ty, output, dims, limit)?;
    if raw.flags & TENSOR_VARIABLE != 0 && bytes != raw.bytes {
        return Err(invalid(format!(
            "output {output} is a variable of {} bytes, the op writes {bytes}",
            raw.bytes
        )));
    }
    Ok(())
}

fn bytes_of(ty: ElementType, output: u32, dims: &[i32], limit: u64) -> Result<u64, Refused> {
    let count = Some(arenite_abi::tensor::element_count(dims)).filter(|&n| n != usize::MAX);
    match count.and_then(|n| ty.bytes_of(n)) {
        Some(bytes) if bytes as u64 <= limit => Ok(bytes as u64),
        Some(bytes) => Err((
            Status::OutOfMemory,
            format!(
                "output {output} of shape {dims:?} needs {bytes} bytes, the quota is {limit}; raise `bytes` in [quota] if that is right"
            ),
        )),
        None => Err(invalid(format!("output {output} of shape {dims:?} has more bytes than can be counted"))),
    }
}
