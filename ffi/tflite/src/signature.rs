//! Signature runners. A signature names the inputs and outputs of a subgraph.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::Arc;

use crate::guard::{free, guard, list, text};
use crate::interpreter::{TfLiteInterpreter, shared};
use crate::state::SharedInterpreter;
use crate::table::Table;
use crate::types::*;

/// Runs one signature. It keeps its interpreter alive, so that the interpreter may be deleted first.
pub(crate) struct TfLiteSignatureRunner {
    shared: Arc<SharedInterpreter>,
    subgraph: usize,
    table: Arc<Table>,
    inputs: Vec<NamedTensor>,
    outputs: Vec<NamedTensor>,
}

/// An input or output of a signature. Lists of these are sorted by name.
struct NamedTensor {
    name: CString,
    tensor: i32,
}

/// A signature's subgraph, inputs and outputs.
type SignatureParts = (usize, Vec<NamedTensor>, Vec<NamedTensor>);

fn sorted(names: impl Iterator<Item = (String, i32)>) -> Vec<NamedTensor> {
    let mut list: Vec<NamedTensor> = names
        .map(|(name, tensor)| NamedTensor { name: CString::new(name).unwrap_or_default(), tensor })
        .collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}

/// Finds the signature with this key. If `key` is `None`, it is the first signature of the main subgraph or, in a model
/// without signatures, the main subgraph with its tensors' own names.
fn find(shared: &SharedInterpreter, key: Option<&CStr>) -> Option<SignatureParts> {
    let view = shared.stage.model.view();
    let signatures = view.signatures();
    if key.is_none() && signatures.is_empty() {
        let names = |list: &[i32]| {
            let tensors = list.iter().map(|&tensor| (shared.table.at(tensor), tensor));
            let named = tensors.filter_map(|(entry, tensor)| {
                // SAFETY: `entry` is null or a tensor of the table, whose name never changes.
                let name = unsafe { text(entry.as_ref()?.name) }?;
                Some((name.to_str().ok()?.to_owned(), tensor))
            });
            sorted(named.collect::<Vec<_>>().into_iter())
        };
        return Some((0, names(&shared.ports.inputs), names(&shared.ports.outputs)));
    }
    let is_wanted = |signature: &arenite::model_file::SignatureDef<'_>| match key {
        Some(key) => signature.key().as_bytes() == key.to_bytes(),
        None => signature.subgraph_index() == 0,
    };
    let signature = signatures.iter().find(is_wanted)?;
    let names = |maps: arenite::model_file::Tables<'_, arenite::model_file::TensorMap<'_>>| {
        let maps: Vec<(String, i32)> =
            maps.iter().map(|map| (map.name().unwrap_or("").to_owned(), map.tensor_index() as i32)).collect();
        sorted(maps.into_iter())
    };
    Some((signature.subgraph_index() as usize, names(signature.inputs()), names(signature.outputs())))
}

/// The number of signatures; 0 for null.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetSignatureCount(
    interpreter: *const TfLiteInterpreter,
) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.signature_keys.len() as i32)
}

/// The key of signature `signature_index`; null if the index is out of range.
///
/// # Safety
/// `interpreter` must be null or point to an interpreter that is not deleted while the key is read.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetSignatureKey(
    interpreter: *const TfLiteInterpreter,
    signature_index: i32,
) -> *const c_char {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let Some(shared) = (unsafe { shared(interpreter) }) else { return ptr::null() };
    let index = usize::try_from(signature_index).ok();
    index.and_then(|index| shared.signature_keys.get(index)).map_or(ptr::null(), |key| key.as_ptr())
}

/// Creates a runner for the signature with this key, or for the main subgraph if `signature_key` is null. Returns null
/// if the signature does not exist. Free the runner with `TfLiteSignatureRunnerDelete`.
///
/// # Safety
/// `interpreter` must be null or point to a live interpreter. `signature_key` must be null or point to a
/// null-terminated string.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterGetSignatureRunner(
    interpreter: *const TfLiteInterpreter,
    signature_key: *const c_char,
) -> *mut TfLiteSignatureRunner {
    guard(ptr::null_mut(), || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return ptr::null_mut() };
        // SAFETY: `signature_key` is null or null-terminated, as `# Safety` requires.
        let Some((subgraph, inputs, outputs)) = find(shared, unsafe { text(signature_key) }) else {
            return ptr::null_mut();
        };
        let mut table = None;
        let status = shared.with(|state| {
            table = Some(state.table(subgraph)?);
            Ok(())
        });
        match table {
            Some(table) if status == kTfLiteOk => {
                let shared = Arc::clone(shared);
                Box::into_raw(Box::new(TfLiteSignatureRunner { shared, subgraph, table, inputs, outputs }))
            }
            _ => ptr::null_mut(),
        }
    })
}

/// Frees a runner. Does nothing for null.
///
/// # Safety
/// `runner` must be null or a runner of this library that is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerDelete(runner: *mut TfLiteSignatureRunner) {
    // SAFETY: `runner` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(runner) };
}

fn name_at(list: &[NamedTensor], index: i32) -> *const c_char {
    let named = usize::try_from(index).ok().and_then(|index| list.get(index));
    named.map_or(ptr::null(), |named| named.name.as_ptr())
}

impl TfLiteSignatureRunner {
    /// The tensor with this name in `list`. Reports an error and returns `None` if the name is not in the list.
    ///
    /// # Safety
    /// `name` must be null or point to a null-terminated string.
    unsafe fn tensor(&self, list: &[NamedTensor], what: &str, name: *const c_char) -> Option<i32> {
        // SAFETY: `name` is null or a null-terminated string, as `# Safety` requires.
        let name = unsafe { text(name) };
        let found = name.and_then(|name| list.iter().find(|named| *named.name == *name));
        if found.is_none() {
            let name = name.map_or("null".into(), CStr::to_string_lossy);
            self.shared.reporter.report(format_args!("{what} name {name} was not found"));
        }
        found.map(|named| named.tensor)
    }
}

/// The number of inputs; 0 for null.
///
/// # Safety
/// `runner` must be null or point to a live runner.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerGetInputCount(
    runner: *const TfLiteSignatureRunner,
) -> usize {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(0, |runner| runner.inputs.len())
}

/// The name of input `input_index`; null if the index is out of range.
///
/// # Safety
/// `runner` must be null or point to a runner that is not deleted while the name is read.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerGetInputName(
    runner: *const TfLiteSignatureRunner,
    input_index: i32,
) -> *const c_char {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(ptr::null(), |runner| name_at(&runner.inputs, input_index))
}

/// Changes the shape of an input. Only dimensions that the model declares as −1 can change. Call
/// `TfLiteSignatureRunnerAllocateTensors` before the next invocation.
///
/// # Safety
/// `runner` must be null or point to a live runner. `input_name` must be null or point to a null-terminated string.
/// `input_dims` must be null or point to `input_dims_size` integers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerResizeInputTensor(
    runner: *mut TfLiteSignatureRunner,
    input_name: *const c_char,
    input_dims: *const c_int,
    input_dims_size: i32,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: each pointer is null or valid, as `# Safety` requires; `tensor` and `list` check for null. The tensor
        // belongs to the runner's table, whose shape signatures are null or arrays.
        unsafe {
            let Some(runner) = runner.as_ref() else { return kTfLiteError };
            let Some(tensor) = runner.tensor(&runner.inputs, "Input", input_name) else {
                return kTfLiteError;
            };
            let Some(dims) = list(input_dims, input_dims_size) else { return kTfLiteError };
            let signature = crate::common::TfLiteTensorGetDimsSignature(runner.table.at(tensor));
            let signature = crate::arrays::numbers(signature);
            let fits = signature.len() == dims.len()
                && signature.iter().zip(dims).all(|(&wanted, &dim)| wanted == -1 || wanted == dim);
            if !fits {
                runner.shared.reporter.report(format_args!(
                    "input tensor {tensor} cannot have shape {dims:?}: the model's shape is {signature:?}, where only dimensions of −1 can change"
                ));
                return kTfLiteError;
            }
            runner.shared.with(|state| state.resize(runner.subgraph, tensor as usize, dims))
        }
    })
}

/// Computes the shapes of all tensors of the signature's subgraph and allocates their memory.
///
/// # Safety
/// `runner` must be null or point to a live runner.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerAllocateTensors(
    runner: *mut TfLiteSignatureRunner,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
        let runner = unsafe { runner.as_ref() };
        runner.map_or(kTfLiteError, |runner| runner.shared.with(|state| state.allocate(runner.subgraph)))
    })
}

/// The input with this name; null if the signature has no such input.
///
/// # Safety
/// `runner` must be null or point to a runner that is not deleted while the tensor is used. `input_name` must be null
/// or point to a null-terminated string.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerGetInputTensor(
    runner: *mut TfLiteSignatureRunner,
    input_name: *const c_char,
) -> *mut TfLiteTensor {
    guard(ptr::null_mut(), || {
        // SAFETY: `runner` is null or a live handle and `input_name` null or a null-terminated string, as `# Safety`
        // requires.
        unsafe {
            let Some(runner) = runner.as_ref() else { return ptr::null_mut() };
            let tensor = runner.tensor(&runner.inputs, "Input", input_name);
            tensor.map_or(ptr::null_mut(), |tensor| runner.table.at(tensor))
        }
    })
}

/// Runs the signature once.
///
/// # Safety
/// `runner` must be null or point to a live runner.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerInvoke(
    runner: *mut TfLiteSignatureRunner,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
        let runner = unsafe { runner.as_ref() };
        runner.map_or(kTfLiteError, |runner| {
            runner.shared.with(|state| match runner.subgraph {
                0 => state.invoke_main(&runner.shared),
                subgraph => state.invoke(subgraph),
            })
        })
    })
}

/// The number of outputs; 0 for null.
///
/// # Safety
/// `runner` must be null or point to a live runner.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerGetOutputCount(
    runner: *const TfLiteSignatureRunner,
) -> usize {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(0, |runner| runner.outputs.len())
}

/// The name of output `output_index`; null if the index is out of range.
///
/// # Safety
/// `runner` must be null or point to a runner that is not deleted while the name is read.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerGetOutputName(
    runner: *const TfLiteSignatureRunner,
    output_index: i32,
) -> *const c_char {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(ptr::null(), |runner| name_at(&runner.outputs, output_index))
}

/// The output with this name; null if the signature has no such output.
///
/// # Safety
/// `runner` must be null or point to a runner that is not deleted while the tensor is used. `output_name` must be null
/// or point to a null-terminated string.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerGetOutputTensor(
    runner: *const TfLiteSignatureRunner,
    output_name: *const c_char,
) -> *const TfLiteTensor {
    guard(ptr::null_mut(), || {
        // SAFETY: `runner` is null or a live handle and `output_name` null or a null-terminated string, as `# Safety`
        // requires.
        unsafe {
            let Some(runner) = runner.as_ref() else { return ptr::null_mut() };
            let tensor = runner.tensor(&runner.outputs, "Output", output_name);
            tensor.map_or(ptr::null_mut(), |tensor| runner.table.at(tensor))
        }
    })
}

/// Cancels the invocation in progress. May be called from any thread. Returns `kTfLiteError` unless the options enabled
/// cancellation.
///
/// # Safety
/// `runner` must be null or point to a live runner.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSignatureRunnerCancel(
    runner: *mut TfLiteSignatureRunner,
) -> TfLiteStatus {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    let Some(runner) = (unsafe { runner.as_ref() }).filter(|runner| runner.shared.can_cancel) else {
        return kTfLiteError;
    };
    runner.shared.cancel();
    kTfLiteOk
}
