//! Functions of `c_api_experimental.h` on interpreters.

use std::ffi::{c_int, c_void};
use std::ptr;

use arenite::Error;

use crate::guard::guard;
use crate::interpreter::{TfLiteInterpreter, listed, shared};
use crate::state::SharedInterpreter;
use crate::types::*;

/// The required alignment of the program's memory, in bytes.
const ALIGNMENT: usize = arenite::AlignedBytes::ALIGNMENT;

/// Sets all variables to their initial values. Returns `kTfLiteError` if the model has variables and their memory is
/// not allocated yet.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterResetVariableTensors(
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

/// The number of variables of the main subgraph; 0 for null.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetVariableTensorCount(
    interpreter: *const TfLiteInterpreter,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.ports.variables.len() as i32)
}

/// Variable `variable_index`; null if the index is out of range.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted while the tensor is used.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetVariableTensor(
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

/// The tensor index of input `input_index`; −1 if the index is out of range.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetInputTensorIndex(
    interpreter: *const TfLiteInterpreter,
    input_index: i32,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(-1, |shared| index_at(&shared.ports.inputs, input_index))
}

/// The tensor index of output `output_index`; −1 if the index is out of range.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetOutputTensorIndex(
    interpreter: *const TfLiteInterpreter,
    output_index: i32,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(-1, |shared| index_at(&shared.ports.outputs, output_index))
}

/// Places an input, output or variable in memory of the program, starting with the next allocation or invocation. The
/// memory must be aligned to 64 bytes; `flags` cannot disable that check.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter, `allocation` null or to a readable struct. The memory
/// must remain valid until it is replaced or the interpreter is deleted. Any thread that uses the interpreter may
/// access it, and the program must not access it while a function of the interpreter runs.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterSetCustomAllocationForTensor(
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
            // SAFETY: `with` holds the state's lock, and no other reference to the struct is in use in this call.
            let entry = unsafe { shared.table.get(index) };
            (entry.allocation_type, entry.data) = (kTfLiteCustom, allocation.room_for(entry.bytes));
            Ok(())
        })
    })
}

fn check_lent(
    shared: &SharedInterpreter,
    tensor: c_int,
    memory: &TfLiteCustomAllocation,
) -> Result<usize, String> {
    let ports = &shared.ports;
    let is_port = [&ports.inputs, &ports.outputs, &ports.variables].iter().any(|list| list.contains(&tensor));
    let Some(index) = usize::try_from(tensor).ok().filter(|_| is_port) else {
        return Err(format!(
            "tensor {tensor} cannot use custom memory: only inputs, outputs and variables can"
        ));
    };
    // SAFETY: `with` in the caller holds the state's lock, and no other reference to the struct is in use in this call.
    let entry = unsafe { shared.table.get(index) };
    if matches!(entry.allocation_type, kTfLiteMmapRo | kTfLiteDynamic) {
        return Err(format!("tensor {tensor} cannot use custom memory: it is constant or dynamic"));
    }
    if memory.data.is_null() || !memory.data.addr().is_multiple_of(ALIGNMENT) {
        return Err(format!(
            "the memory for tensor {tensor} is at {:p}: it must not be null and must be aligned to {ALIGNMENT} bytes",
            memory.data
        ));
    }
    Ok(index)
}

/// Always returns an error: delegates must be added with `TfLiteInterpreterOptionsAddDelegate` before the interpreter
/// is created.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter. `delegate` must be null or point to a delegate that
/// outlives it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterModifyGraphWithDelegate(
    interpreter: *const TfLiteInterpreter,
    delegate: *mut c_void,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        // SAFETY: `delegate` is null or a live delegate, as `# Safety` requires.
        unsafe { crate::delegate::modify(shared, delegate) }
    })
}

/// Always returns an error: all data is in host memory, so no tensor has a buffer handle.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterSetBufferHandle(
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
            .report("TfLiteInterpreterSetBufferHandle is not supported: all tensor data is in host memory");
    }
    kTfLiteError
}

/// Sets `buffer_handle` to `kTfLiteNullBufferHandle` and `delegate` to null: no tensor has a buffer handle. Returns
/// `kTfLiteError` if the tensor does not exist or a pointer is null.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter. `buffer_handle` and `delegate` must be null or writable.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetBufferHandle(
    interpreter: *mut TfLiteInterpreter,
    tensor_index: c_int,
    buffer_handle: *mut c_int,
    delegate: *mut *mut c_void,
) -> TfLiteStatus {
    // SAFETY: `interpreter` is null or a live handle, and the results are writable where they are not null, as `#
    // Safety` requires.
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

/// Has no effect: results are always in host memory.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSetAllowBufferHandleOutput(
    interpreter: *const TfLiteInterpreter,
    allow_buffer_handle_output: bool,
) {
    let _ = (interpreter, allow_buffer_handle_output);
}

/// Does nothing, since all data is in host memory. Returns `kTfLiteError` if the tensor does not exist.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterEnsureTensorDataIsReadable(
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
