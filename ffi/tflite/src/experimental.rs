//! Functions of `c_api_experimental.h` on interpreters.

use std::ffi::{c_int, c_void};
use std::ptr;

use arenite::Error;

use crate::guard::guard;
use crate::interpreter::{TfLiteInterpreter, listed, shared};
use crate::state::Shared;
use crate::types::*;

/// Lent memory begins at a multiple of this.
const ALIGNMENT: usize = arenite::AlignedBytes::ALIGNMENT;

/// Gives variables their first values; an error before memory is allocated, if there are any.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterResetVariableTensors(
    interpreter: *mut TfLiteInterpreter,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        shared.with(|state| {
            let variables = shared.ports.variables.iter().filter_map(|&index| usize::try_from(index).ok());
            for index in variables {
                state.interpreter.tensor_of(0, index)?.bytes()?;
            }
            state.interpreter.reset_variables();
            Ok(())
        })
    })
}

/// Number of variables of the main subgraph; 0 for null.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetVariableTensorCount(
    interpreter: *const TfLiteInterpreter,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.ports.variables.len() as i32)
}

/// A variable; null where there is none.
///
/// # Safety
/// `interpreter` is null or an interpreter, which lives as long as the tensor is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetVariableTensor(
    interpreter: *const TfLiteInterpreter,
    variable_index: i32,
) -> *mut TfLiteTensor {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let shared = unsafe { shared(interpreter) };
    shared.map_or(ptr::null_mut(), |shared| listed(shared, &shared.ports.variables, variable_index))
}

fn index_at(list: &[i32], position: i32) -> i32 {
    usize::try_from(position).ok().and_then(|position| list.get(position)).copied().unwrap_or(-1)
}

/// Index of the tensor that an input is; −1 where there is none.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetInputTensorIndex(
    interpreter: *const TfLiteInterpreter,
    input_index: i32,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(-1, |shared| index_at(&shared.ports.inputs, input_index))
}

/// Index of the tensor that an output is; −1 where there is none.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetOutputTensorIndex(
    interpreter: *const TfLiteInterpreter,
    output_index: i32,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(-1, |shared| index_at(&shared.ports.outputs, output_index))
}

/// Puts an input, an output or a variable into memory of the program's, aligned to 64 bytes, from the next allocation or invocation on.
/// Flags change nothing: memory that is not aligned is refused.
///
/// # Safety
/// `interpreter` is null or an interpreter, `allocation` null or readable. The memory stays until other memory is given or the interpreter is
/// deleted; nobody uses it while a function of the interpreter runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterSetCustomAllocationForTensor(
    interpreter: *mut TfLiteInterpreter,
    tensor_index: c_int,
    allocation: *const TfLiteCustomAllocation,
    flags: i64,
) -> TfLiteStatus {
    let _ = flags;
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let (Some(shared), Some(allocation)) = (unsafe { (shared(interpreter), allocation.as_ref()) }) else {
            return kTfLiteError;
        };
        shared.with(|state| {
            let index = check_lent(shared, tensor_index, allocation).map_err(Error::State)?;
            state.lent.insert(index, (*allocation, false));
            // SAFETY: no other reference to the struct is in use.
            let entry = unsafe { shared.table.get(index) };
            (entry.allocation_type, entry.data) = (kTfLiteCustom, allocation.room_for(entry.bytes));
            Ok(())
        })
    })
}

fn check_lent(shared: &Shared, tensor: c_int, memory: &TfLiteCustomAllocation) -> Result<usize, String> {
    let ports = &shared.ports;
    let is_port = [&ports.inputs, &ports.outputs, &ports.variables].iter().any(|list| list.contains(&tensor));
    let Some(index) = usize::try_from(tensor).ok().filter(|_| is_port) else {
        return Err(format!(
            "memory is lent to inputs, outputs and variables; tensor {tensor} is none of these"
        ));
    };
    // SAFETY: no other reference to the struct is in use.
    let entry = unsafe { shared.table.get(index) };
    if matches!(entry.allocation_type, kTfLiteMmapRo | kTfLiteDynamic) {
        return Err(format!("tensor {tensor} is constant or dynamic, no memory can be lent to it"));
    }
    if memory.data.is_null() || !memory.data.addr().is_multiple_of(ALIGNMENT) {
        return Err(format!(
            "the memory lent to tensor {tensor} begins at {:p}, which is null or no multiple of {ALIGNMENT}",
            memory.data
        ));
    }
    Ok(index)
}

/// Applies a delegate of the program's own, see `TfLiteInterpreterOptionsAddDelegate`.
///
/// # Safety
/// `interpreter` is null or an interpreter; the delegate is null or outlives it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterModifyGraphWithDelegate(
    interpreter: *const TfLiteInterpreter,
    delegate: *mut c_void,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        // SAFETY: as above.
        unsafe { crate::delegate::modify(shared, delegate) }
    })
}

/// Refused: data lies in memory of the host, and no tensor has a handle.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterSetBufferHandle(
    interpreter: *mut TfLiteInterpreter,
    tensor: *mut TfLiteTensor,
    buffer_handle: c_int,
    delegate: *mut c_void,
) -> TfLiteStatus {
    let _ = (tensor, buffer_handle, delegate);
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    if let Some(shared) = unsafe { shared(interpreter) } {
        shared
            .reporter
            .report("TfLiteInterpreterSetBufferHandle is not served: data lies in memory of the host");
    }
    kTfLiteError
}

/// Says that a tensor has no handle, and no delegate.
///
/// # Safety
/// `interpreter` is null or an interpreter; the results are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetBufferHandle(
    interpreter: *mut TfLiteInterpreter,
    tensor_index: c_int,
    buffer_handle: *mut c_int,
    delegate: *mut *mut c_void,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let known = shared(interpreter).is_some_and(|shared| !shared.table.at(tensor_index).is_null());
        if !known || buffer_handle.is_null() || delegate.is_null() {
            return kTfLiteError;
        }
        buffer_handle.write(kTfLiteNullBufferHandle);
        delegate.write(ptr::null_mut());
    }
    kTfLiteOk
}

/// Changes nothing: results always lie in memory of the host.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSetAllowBufferHandleOutput(
    interpreter: *const TfLiteInterpreter,
    allow_buffer_handle_output: bool,
) {
    let _ = (interpreter, allow_buffer_handle_output);
}

/// Data always is; an error where there is no such tensor.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterEnsureTensorDataIsReadable(
    interpreter: *mut TfLiteInterpreter,
    tensor_index: c_int,
) -> TfLiteStatus {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let shared = unsafe { shared(interpreter) };
    if shared.is_some_and(|shared| !shared.table.at(tensor_index).is_null()) {
        kTfLiteOk
    } else {
        kTfLiteError
    }
}
