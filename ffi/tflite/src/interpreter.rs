//! Functions of `c_api.h` on interpreters.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use crate::create::recipe;
use crate::guard::{free, guard, list};
use crate::kernel::Stage;
use crate::model::TfLiteModel;
use crate::options::TfLiteInterpreterOptions;
use crate::state::Shared;
use crate::types::*;

/// An interpreter. C may call it from two threads at once by mistake, and `TfLiteInterpreterCancel` on purpose: hence no function makes
/// an exclusive reference to it.
pub struct TfLiteInterpreter {
    pub(crate) shared: Arc<Shared>,
}

/// The interpreter behind a handle.
///
/// # Safety
/// `interpreter` is null or an interpreter that lives for `'a`.
pub(crate) unsafe fn shared<'a>(interpreter: *const TfLiteInterpreter) -> Option<&'a Arc<Shared>> {
    // SAFETY: `interpreter` is null or points to a live value, as `# Safety` requires.
    unsafe { interpreter.as_ref() }.map(|interpreter| &interpreter.shared)
}

/// # Safety
/// `model` and `options` are null or live.
unsafe fn create(
    model: *const TfLiteModel,
    options: *const TfLiteInterpreterOptions,
    selected: bool,
) -> *mut TfLiteInterpreter {
    guard(ptr::null_mut(), || {
        // SAFETY: `model` is null or points to a live value, as `# Safety` requires.
        let (Some(model), options) = (unsafe { (model.as_ref(), options.as_ref()) }) else {
            return ptr::null_mut();
        };
        let default = TfLiteInterpreterOptions::default();
        let options = options.unwrap_or(&default);
        if options.threads < -1 {
            options.reporter.report(format_args!("{} threads cannot be, one is used", options.threads));
        }
        let threads = options.thread_count() as c_int;
        let stage = Arc::new(Stage::new(model.model.clone(), threads, options.reporter));
        let made = recipe(&model.model, options, &stage, selected)
            .and_then(|recipe| Shared::new(recipe, stage, options));
        match made {
            Ok(shared) => Box::into_raw(Box::new(TfLiteInterpreter { shared: Arc::new(shared) })),
            Err(message) => {
                options.reporter.report(message);
                ptr::null_mut()
            }
        }
    })
}

/// A new interpreter; null where an op that the model needs is not there, or the options cannot be.
///
/// # Safety
/// `model` is null or a model, `options` null or options, that nobody changes or frees meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterCreate(
    model: *const TfLiteModel,
    options: *const TfLiteInterpreterOptions,
) -> *mut TfLiteInterpreter {
    // SAFETY: `model` and the options are null or live handles, as `# Safety` requires.
    unsafe { create(model, options, false) }
}

/// As [`TfLiteInterpreterCreate`], with the options' ops alone.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterCreateWithSelectedOps(
    model: *const TfLiteModel,
    options: *const TfLiteInterpreterOptions,
) -> *mut TfLiteInterpreter {
    // SAFETY: `model` and the options are null or live handles, as `# Safety` requires.
    unsafe { create(model, options, true) }
}

/// Frees an interpreter and its tensors. Runners of its signatures stay.
///
/// # Safety
/// `interpreter` is null or an interpreter that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterDelete(interpreter: *mut TfLiteInterpreter) {
    // SAFETY: `interpreter` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(interpreter) };
}

/// One of a list of tensors.
pub(crate) fn listed(shared: &Shared, list: &[i32], position: i32) -> *mut TfLiteTensor {
    let index = usize::try_from(position).ok().and_then(|position| list.get(position));
    index.map_or(ptr::null_mut(), |&index| shared.table.at(index))
}

/// Number of inputs; 0 for null.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetInputTensorCount(interpreter: *const TfLiteInterpreter) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.ports.inputs.len() as i32)
}

/// Indices of the inputs; null for null.
///
/// # Safety
/// `interpreter` is null or an interpreter, which lives as long as the indices are read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterInputTensorIndices(
    interpreter: *const TfLiteInterpreter,
) -> *const c_int {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(ptr::null(), |shared| shared.ports.inputs.as_ptr())
}

/// An input; null where there is none.
///
/// # Safety
/// `interpreter` is null or an interpreter, which lives as long as the tensor is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetInputTensor(
    interpreter: *const TfLiteInterpreter,
    input_index: i32,
) -> *mut TfLiteTensor {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let shared = unsafe { shared(interpreter) };
    shared.map_or(ptr::null_mut(), |shared| listed(shared, &shared.ports.inputs, input_index))
}

/// Gives an input another shape. `TfLiteInterpreterAllocateTensors` must follow.
///
/// # Safety
/// `interpreter` is null or an interpreter; `input_dims` is null or has `input_dims_size` integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterResizeInputTensor(
    interpreter: *mut TfLiteInterpreter,
    input_index: i32,
    input_dims: *const c_int,
    input_dims_size: i32,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        // SAFETY: as above.
        let Some(dims) = (unsafe { list(input_dims, input_dims_size) }) else {
            shared.reporter.report(format_args!("a shape of {input_dims_size} dimensions at {input_dims:p}"));
            return kTfLiteError;
        };
        let input = usize::try_from(input_index).ok().and_then(|input| shared.ports.inputs.get(input));
        let Some(tensor) = input.and_then(|&tensor| usize::try_from(tensor).ok()) else {
            let count = shared.ports.inputs.len();
            shared.reporter.report(format_args!("there is no input {input_index}, the model has {count}"));
            return kTfLiteError;
        };
        shared.with(|state| state.resize(0, tensor, dims))
    })
}

/// Gives all tensors their shapes and memory.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterAllocateTensors(
    interpreter: *mut TfLiteInterpreter,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let shared = unsafe { shared(interpreter) };
        shared.map_or(kTfLiteError, |shared| shared.with(|state| state.allocate(0)))
    })
}

/// Runs the model once. With fallback, `kTfLiteDelegateError` says that results are right, and come from a run without delegates.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterInvoke(interpreter: *mut TfLiteInterpreter) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return kTfLiteError };
        let status = shared.with(|state| state.invoke(0));
        if status == kTfLiteOk || status == kTfLiteCancelled || !shared.falls_back {
            return status;
        }
        crate::fallback::invoke(shared, status)
    })
}

/// Number of outputs; 0 for null.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetOutputTensorCount(interpreter: *const TfLiteInterpreter) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.ports.outputs.len() as i32)
}

/// Indices of the outputs; null for null.
///
/// # Safety
/// As [`TfLiteInterpreterInputTensorIndices`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOutputTensorIndices(
    interpreter: *const TfLiteInterpreter,
) -> *const c_int {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(ptr::null(), |shared| shared.ports.outputs.as_ptr())
}

/// An output; null where there is none.
///
/// # Safety
/// As [`TfLiteInterpreterGetInputTensor`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetOutputTensor(
    interpreter: *const TfLiteInterpreter,
    output_index: i32,
) -> *const TfLiteTensor {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let shared = unsafe { shared(interpreter) };
    shared.map_or(ptr::null_mut(), |shared| listed(shared, &shared.ports.outputs, output_index))
}

/// Any tensor of the main subgraph; null where there is none.
///
/// # Safety
/// As [`TfLiteInterpreterGetInputTensor`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetTensor(
    interpreter: *const TfLiteInterpreter,
    index: c_int,
) -> *mut TfLiteTensor {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(ptr::null_mut(), |shared| shared.table.at(index))
}

/// Stops the invocation in progress, from any thread; an error unless the options allow it.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterCancel(interpreter: *const TfLiteInterpreter) -> TfLiteStatus {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let Some(shared) = (unsafe { shared(interpreter) }).filter(|shared| shared.can_cancel) else {
        return kTfLiteError;
    };
    shared.cancel.cancel();
    kTfLiteOk
}
