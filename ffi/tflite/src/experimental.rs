//! Functions of `c_api_experimental.h` on interpreters.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

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

/// Adds a delegate of the program to an interpreter and allocates memory. Inputs and variables keep their values; all
/// delegates are asked again. On an error, the interpreter is unchanged.
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
        let shared = unsafe { shared(interpreter) };
        shared.map_or(kTfLiteError, |shared| crate::rebuild::modify(shared, delegate))
    })
}

/// Gives a tensor a buffer handle: its value is in memory of the delegate. The program marks it as stale, in the
/// struct, if host memory does not have the value. The handle that the tensor had is freed.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter. `delegate` must be null or point to a delegate that
/// outlives it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterSetBufferHandle(
    interpreter: *mut TfLiteInterpreter,
    tensor: *mut TfLiteTensor,
    buffer_handle: c_int,
    delegate: *mut c_void,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        shared.with(|state| state.set_handle(&shared.stage, tensor, delegate.cast(), buffer_handle))
    })
}

/// Writes a tensor's buffer handle and delegate; `kTfLiteNullBufferHandle` and null if it has none. Returns
/// `kTfLiteError` if the tensor does not exist or a pointer is null.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter that no other thread uses. `buffer_handle` and `delegate`
/// must be null or writable.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetBufferHandle(
    interpreter: *mut TfLiteInterpreter,
    tensor_index: c_int,
    buffer_handle: *mut c_int,
    delegate: *mut *mut c_void,
) -> TfLiteStatus {
    // SAFETY: `interpreter` is null or a live handle whose tensors no other thread uses, and the results are writable
    // where they are not null, as `# Safety` requires.
    unsafe {
        let tensor = shared(interpreter).map_or(ptr::null_mut(), |shared| shared.table.at(tensor_index));
        if tensor.is_null() || buffer_handle.is_null() || delegate.is_null() {
            return kTfLiteError;
        }
        buffer_handle.write((*tensor).buffer_handle);
        delegate.write((*tensor).delegate);
    }
    kTfLiteOk
}

/// Sets whether outputs may stay in memory of a delegate until `TfLiteInterpreterEnsureTensorDataIsReadable`.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSetAllowBufferHandleOutput(
    interpreter: *const TfLiteInterpreter,
    allow_buffer_handle_output: bool,
) {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    if let Some(shared) = unsafe { shared(interpreter) } {
        let allows = &shared.stage.handles.allows_stale_outputs;
        allows.store(allow_buffer_handle_output, Ordering::Relaxed);
    }
}

/// Copies the value of a tensor to host memory if it is only in memory of a delegate. Returns `kTfLiteError` if the
/// tensor does not exist or its delegate cannot copy it.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterEnsureTensorDataIsReadable(
    interpreter: *mut TfLiteInterpreter,
    tensor_index: c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        let index = usize::try_from(tensor_index).ok().filter(|&index| index < shared.table.len());
        let Some(index) = index else { return kTfLiteError };
        shared.with(|state| state.make_readable(&shared.stage, index))
    })
}
