//! How much memory an interpreter holds, and memory that the program lends to tensors.

use std::ffi::c_void;
use std::ptr;

use crate::arguments::{ArReleaseCallback, Lent, list, shared};
use crate::error::{ArError, guard};
use crate::interpreter::{ArInterpreter, number, using};
use crate::tensor::ArTensor;

/// Bytes of the arena for activations and scratch buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_arena_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().arena)
}

/// Bytes of states, tables, folded constants and variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_persistent_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().persistent)
}

/// Bytes that delegates hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_delegate_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().delegates)
}

/// Bytes of tensors whose shape only the run tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_dynamic_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().dynamic)
}

/// Bytes that no plan of the arena can do without.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_arena_lower_bound(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().lower_bound)
}

/// Gives back the memory of activations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_release_memory(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| {
        state.interpreter.release_memory();
        Ok(())
    })
}

/// Puts a tensor into memory of the program's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_lend(
    tensor: *const ArTensor,
    memory: *mut c_void,
    size: usize,
    release: ArReleaseCallback,
    user_data: *mut c_void,
) -> *mut ArError {
    guard(|| {
        // Of no bytes there is no address. From here on `release` is called on every way out.
        let data = if size == 0 { ptr::NonNull::dangling().as_ptr() } else { memory.cast() };
        let lent = Box::new(Lent { data, size, release, user_data });
        // SAFETY: the crate's rule. The list refuses null and sizes that no object has.
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

/// Ends a loan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_tensor_take_back(tensor: *const ArTensor) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or a live handle, as `# Safety` requires.
        let tensor = unsafe { shared(tensor, "tensor") }?;
        tensor.with_state(|state, place| {
            drop(state.interpreter.take_back(place.subgraph, place.tensor)?);
            Ok(())
        })
    })
}
