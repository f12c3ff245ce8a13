//! Binds device memory of the program to tensors.

use std::ffi::c_char;

use arenite::DeviceMemory;

use super::ArTensor;
use crate::arguments::{null, shared, text};
use crate::error::{ArError, guard};

/// Memory of the program on a delegate's device.
#[repr(C)]
pub struct ArDeviceMemory {
    delegate: *const c_char,
    object: u64,
    offset: u64,
    size: u64,
}

/// Binds device memory to a tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_bind_device_memory(
    tensor: *const ArTensor,
    memory: *const ArDeviceMemory,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle; `memory` is null or points to a struct whose name is null or a
        // null-terminated string, as the header requires.
        let (tensor, memory) = unsafe {
            let tensor = shared(tensor, "tensor")?;
            let ArDeviceMemory { delegate, object, offset, size } =
                *memory.as_ref().ok_or_else(|| null("memory"))?;
            let delegate = text(delegate, "memory->delegate")?.to_owned();
            (tensor, DeviceMemory { delegate, object, offset, bytes: size })
        };
        tensor.with_state(|state, place| {
            // SAFETY: the object lives until it is unbound, and nothing else uses it meanwhile, as the header requires.
            unsafe { state.interpreter.bind_device_memory(place.subgraph, place.tensor, &memory) }?;
            Ok(())
        })
    })
}

/// Ends a binding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_unbind_device_memory(tensor: *const ArTensor) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as the header requires.
        let tensor = unsafe { shared(tensor, "tensor") }?;
        tensor.with_state(|state, place| {
            state.interpreter.unbind_device_memory(place.subgraph, place.tensor)?;
            Ok(())
        })
    })
}
