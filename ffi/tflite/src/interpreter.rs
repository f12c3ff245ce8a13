//! Functions of `c_api.h` on interpreters.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use crate::create::recipe;
use crate::guard::{free, guard, list};
use crate::kernel::Stage;
use crate::model::TfLiteModel;
use crate::options::TfLiteInterpreterOptions;
use crate::state::SharedInterpreter;
use crate::types::*;

/// An interpreter. `TfLiteInterpreterCancel` may run on another thread during a call, and a faulty program may make any
/// two calls at the same time. So no function creates an exclusive reference to it.
pub(crate) struct TfLiteInterpreter {
    pub(crate) shared: Arc<SharedInterpreter>,
}

/// The contents of an interpreter handle; `None` for null.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted during `'a`.
pub(crate) unsafe fn shared<'a>(interpreter: *const TfLiteInterpreter) -> Option<&'a Arc<SharedInterpreter>> {
    // SAFETY: `interpreter` is null or points to a live value, as `# Safety` requires.
    unsafe { interpreter.as_ref() }.map(|interpreter| &interpreter.shared)
}

/// Creates an interpreter. With `selected`, only the ops in `options` are available.
///
/// # Safety
/// `model` must be null or point to a live model, `options` null or to live options.
unsafe fn create(
    model: *const TfLiteModel,
    options: *const TfLiteInterpreterOptions,
    selected: bool,
) -> *mut TfLiteInterpreter {
    guard(ptr::null_mut(), || {
        // SAFETY: both are null or point to live values, as `# Safety` requires.
        let (Some(model), options) = (unsafe { (model.as_ref(), options.as_ref()) }) else {
            return ptr::null_mut();
        };
        let default = TfLiteInterpreterOptions::default();
        let options = options.unwrap_or(&default);
        if options.threads < -1 {
            options
                .reporter
                .report(format_args!("{} is not a valid number of threads; using one", options.threads));
        }
        let threads = options.thread_count() as c_int;
        let stage = Arc::new(Stage::new(model.model.clone(), threads, options.reporter));
        let made = recipe(&model.model, options, &stage, selected)
            .and_then(|recipe| SharedInterpreter::new(recipe, stage, options, selected));
        match made {
            Ok(shared) => Box::into_raw(Box::new(TfLiteInterpreter { shared: Arc::new(shared) })),
            Err(message) => {
                options.reporter.report(message);
                ptr::null_mut()
            }
        }
    })
}

/// Creates an interpreter. Returns null if an op of the model is not available or the options cannot be applied; the
/// error goes to the reporter of `options`.
///
/// # Safety
/// `model` must be null or point to a live model, and `options` null or to live options; no other thread may change or
/// free them during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterCreate(
    model: *const TfLiteModel,
    options: *const TfLiteInterpreterOptions,
) -> *mut TfLiteInterpreter {
    // SAFETY: `model` and the options are null or live handles, as `# Safety` requires.
    unsafe { create(model, options, false) }
}

/// Like [`TfLiteInterpreterCreate`], but only the ops in `options` are available.
///
/// # Safety
/// `model` must be null or point to a live model, and `options` null or to live options; no other thread may change or
/// free them during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterCreateWithSelectedOps(
    model: *const TfLiteModel,
    options: *const TfLiteInterpreterOptions,
) -> *mut TfLiteInterpreter {
    // SAFETY: `model` and the options are null or live handles, as `# Safety` requires.
    unsafe { create(model, options, true) }
}

/// Frees an interpreter and its tensors. Runners of its signatures remain usable.
///
/// # Safety
/// `interpreter` must be null or an interpreter of this library that is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterDelete(interpreter: *mut TfLiteInterpreter) {
    // SAFETY: `interpreter` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(interpreter) };
}

/// The tensor whose index is at `position` in `list`; null if the position is out of range.
pub(crate) fn listed(shared: &SharedInterpreter, list: &[i32], position: i32) -> *mut TfLiteTensor {
    let index = usize::try_from(position).ok().and_then(|position| list.get(position));
    index.map_or(ptr::null_mut(), |&index| shared.table.at(index))
}

/// The number of inputs; 0 for null.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetInputTensorCount(
    interpreter: *const TfLiteInterpreter,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.ports.inputs.len() as i32)
}

/// The tensor indices of the inputs; null for null.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted while the indices are read.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterInputTensorIndices(
    interpreter: *const TfLiteInterpreter,
) -> *const c_int {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(ptr::null(), |shared| shared.ports.inputs.as_ptr())
}

/// Input `input_index`; null if the index is out of range.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted while the tensor is used.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetInputTensor(
    interpreter: *const TfLiteInterpreter,
    input_index: i32,
) -> *mut TfLiteTensor {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let shared = unsafe { shared(interpreter) };
    shared.map_or(ptr::null_mut(), |shared| listed(shared, &shared.ports.inputs, input_index))
}

/// Changes the shape of an input. Call `TfLiteInterpreterAllocateTensors` before the next invocation.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter. `input_dims` must be null or point to `input_dims_size`
/// integers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterResizeInputTensor(
    interpreter: *mut TfLiteInterpreter,
    input_index: i32,
    input_dims: *const c_int,
    input_dims_size: i32,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        // SAFETY: `input_dims` is null or points to `input_dims_size` integers, as `# Safety` requires; `list` checks
        // for null.
        let Some(dims) = (unsafe { list(input_dims, input_dims_size) }) else {
            shared.reporter.report(format_args!(
                "cannot read a shape of {input_dims_size} dimensions at address {input_dims:p}"
            ));
            return kTfLiteError;
        };
        let input = usize::try_from(input_index).ok().and_then(|input| shared.ports.inputs.get(input));
        let Some(tensor) = input.and_then(|&tensor| usize::try_from(tensor).ok()) else {
            let count = shared.ports.inputs.len();
            shared.reporter.report(format_args!(
                "input index {input_index} is out of range: the model has {count} inputs"
            ));
            return kTfLiteError;
        };
        shared.with(|state| state.resize(0, tensor, dims))
    })
}

/// Computes the shapes of all tensors and allocates their memory.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterAllocateTensors(
    interpreter: *mut TfLiteInterpreter,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let shared = unsafe { shared(interpreter) };
        shared.map_or(kTfLiteError, |shared| shared.with(|state| state.allocate(0)))
    })
}

/// Runs the model once. If delegate fallback is enabled, `kTfLiteDelegateError` means that a delegate failed and the
/// results, which are valid, come from a second run without delegates.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterInvoke(interpreter: *mut TfLiteInterpreter) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        let status = shared.with(|state| state.invoke_main(shared));
        if status == kTfLiteOk || status == kTfLiteCancelled || !shared.falls_back {
            return status;
        }
        crate::fallback::invoke(shared, status)
    })
}

/// The number of outputs; 0 for null.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetOutputTensorCount(
    interpreter: *const TfLiteInterpreter,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.ports.outputs.len() as i32)
}

/// The tensor indices of the outputs; null for null.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted while the indices are read.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOutputTensorIndices(
    interpreter: *const TfLiteInterpreter,
) -> *const c_int {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(ptr::null(), |shared| shared.ports.outputs.as_ptr())
}

/// Output `output_index`; null if the index is out of range.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted while the tensor is used.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetOutputTensor(
    interpreter: *const TfLiteInterpreter,
    output_index: i32,
) -> *const TfLiteTensor {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let shared = unsafe { shared(interpreter) };
    shared.map_or(ptr::null_mut(), |shared| listed(shared, &shared.ports.outputs, output_index))
}

/// Tensor `index` of the main subgraph; null if the index is out of range.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted while the tensor is used.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetTensor(
    interpreter: *const TfLiteInterpreter,
    index: c_int,
) -> *mut TfLiteTensor {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(ptr::null_mut(), |shared| shared.table.at(index))
}

/// Cancels the invocation in progress. May be called from any thread. Returns `kTfLiteError` unless the options enabled
/// cancellation.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterCancel(
    interpreter: *const TfLiteInterpreter,
) -> TfLiteStatus {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let Some(shared) = (unsafe { shared(interpreter) }).filter(|shared| shared.can_cancel) else {
        return kTfLiteError;
    };
    shared.cancel();
    kTfLiteOk
}
