//! Reads and writes tensors as real numbers: quantizes when writing, dequantizes when reading.

use arenite::{ElementType, Tensor};
use arenite_common::values::{quantized, reals};

use super::{ArTensor, read};
use crate::arguments::{list, null, shared};
use crate::error::{ArError, Failure, Result, guard};

fn check_count(tensor: &Tensor<'_>, count: usize) -> Result<()> {
    let elements = arenite::abi::tensor::element_count(tensor.shape);
    if elements == count {
        return Ok(());
    }
    let name = tensor.name;
    Err(Failure::argument(format!("tensor '{name}' has {elements} elements, but {count} values were passed")))
}

fn no_reals(tensor: &Tensor<'_>) -> Failure {
    Failure::argument(format!(
        "tensor '{}' has type {}, which cannot be converted to real numbers",
        tensor.name, tensor.ty
    ))
}

/// Writes real numbers into a tensor, quantized if the tensor is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_quantize(
    tensor: *mut ArTensor,
    values: *const f32,
    count: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as the header requires.
        let (tensor, values) = unsafe { (shared(tensor, "tensor")?, list(values, count, "values")?) };
        tensor.with_state(|state, place| {
            let target = state.write(place)?;
            check_count(target.tensor(), count)?;
            let bytes = quantized(target.tensor(), values).ok_or_else(|| no_reals(target.tensor()))?;
            Ok(target.copy_from_bytes(&bytes)?)
        })
    })
}

/// Reads a tensor as real numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_dequantize(
    tensor: *const ArTensor,
    values: *mut f32,
    count: usize,
) -> *mut ArError {
    guard(|| {
        if count > 0 && values.is_null() {
            return Err(null("values"));
        }
        read(tensor, |tensor| {
            check_count(&tensor, count)?;
            let found = reals(&tensor, tensor.bytes()?);
            if found.len() != count {
                return Err(no_reals(&tensor));
            }
            for (i, &real) in found.iter().enumerate() {
                // SAFETY: `values` is not null, as checked, and has `count` elements, as the header requires; `i` is
                // below `count`.
                unsafe { values.add(i).write(real as f32) };
            }
            Ok(())
        })
    })
}

/// The number of bits per element; 0 for a type without a fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn ar_type_bits(element_type: u32) -> usize {
    let known = ElementType::ALL.iter().find(|&&ty| ty as u32 == element_type);
    known.map_or(0, |ty| ty.bits() as usize)
}
