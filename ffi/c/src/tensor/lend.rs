//! Lends memory of the program to tensors.

use std::ffi::c_void;
use std::ptr;

use super::ArTensor;
use crate::arguments::{ArReleaseCallback, ProgramMemory, list, shared};
use crate::error::{ArError, guard};

/// Lends a tensor memory of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_lend(
    tensor: *const ArTensor,
    memory: *mut c_void,
    size: usize,
    release: ArReleaseCallback,
    user_data: *mut c_void,
) -> *mut ArError {
    guard(|| {
        // For zero bytes any address will do. `lent` calls `release` when it is dropped, on every return path.
        let data = if size == 0 { ptr::NonNull::dangling().as_ptr() } else { memory.cast() };
        let lent = Box::new(ProgramMemory { data, size, release, user_data });
        // SAFETY: `memory` is null or points to `size` bytes and `tensor` is null or a live handle, as the header
        // requires. `list` rejects null and sizes that exceed the largest object.
        let tensor = unsafe {
            list(data.cast_const(), size, "memory")?;
            shared(tensor, "tensor")?
        };
        tensor.with_state(|state, place| {
            drop(state.interpreter.lend(place.subgraph, place.tensor, lent)?);
            Ok(())
        })
    })
}

/// Ends a loan and releases the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_take_back(tensor: *const ArTensor) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as the header requires.
        let tensor = unsafe { shared(tensor, "tensor") }?;
        tensor.with_state(|state, place| {
            drop(state.interpreter.take_back(place.subgraph, place.tensor)?);
            Ok(())
        })
    })
}
