//! Tensors as real numbers: quantized as they are written, dequantized as they are read.

use arenite::{ElementType, Tensor};
use arenite_common::values::{quantized, reals};

use crate::arguments::{list, null, shared};
use crate::error::{ArError, Failure, Result, guard};
use crate::tensor::{ArTensor, read};

fn check_count(tensor: &Tensor<'_>, count: usize) -> Result<()> {
    let elements = arenite::abi::tensor::element_count(tensor.shape);
    if elements == count {
        return Ok(());
    }
    let name = tensor.name;
    Err(Failure::argument(format!("tensor '{name}': it has {elements} elements, {count} are given")))
}

fn no_reals(tensor: &Tensor<'_>) -> Failure {
    Failure::argument(format!("tensor '{}': {} holds no real numbers", tensor.name, tensor.ty))
}

/// Fills a tensor with real numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_quantize(
    tensor: *mut ArTensor,
    values: *const f32,
    count: usize,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
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
                // SAFETY: the caller's array has `count` elements.
                unsafe { values.add(i).write(real as f32) };
            }
            Ok(())
        })
    })
}

/// Number of bits of an element; 0 for a type whose elements have no fixed size.
#[unsafe(no_mangle)]
pub extern "C" fn ar_type_bits(element_type: u32) -> usize {
    let known = ElementType::ALL.iter().find(|&&ty| ty as u32 == element_type);
    known.map_or(0, |ty| ty.bits() as usize)
}
