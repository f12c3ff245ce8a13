//! Functions of `arenite/interpreter.h` on the memory of an interpreter.

use std::ffi::c_char;

use super::{ArInterpreter, number, using};
use crate::arguments::{put, text};
use crate::error::ArError;

/// The size of the arena for activations and scratch buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_arena_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().arena)
}

/// The size of states, tables, folded constants and variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_persistent_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().persistent)
}

/// The size of the memory of delegates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_delegate_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().delegates)
}

/// The size of tensors whose shape is known only after a run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_dynamic_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().dynamic)
}

/// The size that every plan of the arena needs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_arena_lower_bound(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().lower_bound)
}

/// Frees the memory of activations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_release_memory(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| {
        state.interpreter.release_memory();
        Ok(())
    })
}

/// Ties outputs to inputs with the same name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tie_caches(
    interpreter: *mut ArInterpreter,
    count: *mut usize,
) -> *mut ArError {
    using(interpreter, |state| {
        let names = state.interpreter.tie_caches()?;
        if count.is_null() {
            return Ok(());
        }
        // SAFETY: `count` is writable, as the header requires.
        unsafe { put(count, "count", names.len()) }
    })
}

/// An object of the API of a delegate's device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_device_object(
    interpreter: *mut ArInterpreter,
    delegate: *const c_char,
    name: *const c_char,
    object: *mut u64,
) -> *mut ArError {
    using(interpreter, |state| {
        // SAFETY: both names are null or null-terminated strings, and `object` is null or writable, as the header
        // requires.
        unsafe {
            let (delegate, name) = (text(delegate, "delegate")?, text(name, "name")?);
            put(object, "object", state.interpreter.device_object(delegate, name)?)
        }
    })
}
