//! Runners of signatures: subgraphs with names for their inputs and outputs.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::Arc;

use crate::guard::{free, guard, list, text};
use crate::interpreter::{TfLiteInterpreter, shared};
use crate::state::Shared;
use crate::table::Table;
use crate::types::*;

/// Runs one signature. It holds its interpreter, which may be deleted first.
pub struct TfLiteSignatureRunner {
    shared: Arc<Shared>,
    subgraph: usize,
    table: Arc<Table>,
    inputs: Vec<Named>,
    outputs: Vec<Named>,
}

/// A name and its tensor, in the order of names.
struct Named {
    name: CString,
    tensor: i32,
}

/// Subgraph, inputs and outputs by name.
type Found = (usize, Vec<Named>, Vec<Named>);

fn sorted(names: impl Iterator<Item = (String, i32)>) -> Vec<Named> {
    let mut list: Vec<Named> =
        names.map(|(name, tensor)| Named { name: CString::new(name).unwrap_or_default(), tensor }).collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}

/// The signature with this key. Without a key the first one of the main subgraph, or, where the model has none, tensors' own names.
fn find(shared: &Shared, key: Option<&CStr>) -> Option<Found> {
    let view = shared.stage.model.view();
    let signatures = view.signatures();
    if key.is_none() && signatures.is_empty() {
        let names = |list: &[i32]| {
            let tensors = list.iter().map(|&tensor| (shared.table.at(tensor), tensor));
            let named = tensors.filter_map(|(entry, tensor)| {
                // SAFETY: null or a tensor of the table, whose name never changes.
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

/// Number of signatures; 0 for null.
///
/// # Safety
/// `interpreter` is null or an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetSignatureCount(interpreter: *const TfLiteInterpreter) -> i32 {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    unsafe { shared(interpreter) }.map_or(0, |shared| shared.signature_keys.len() as i32)
}

/// Key of a signature; null where there is none.
///
/// # Safety
/// `interpreter` is null or an interpreter, which lives as long as the key is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetSignatureKey(
    interpreter: *const TfLiteInterpreter,
    signature_index: i32,
) -> *const c_char {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    let Some(shared) = (unsafe { shared(interpreter) }) else { return ptr::null() };
    let index = usize::try_from(signature_index).ok();
    index.and_then(|index| shared.signature_keys.get(index)).map_or(ptr::null(), |key| key.as_ptr())
}

/// A runner for a signature; null where there is none. Without a key, that of the main subgraph.
///
/// # Safety
/// `interpreter` is null or an interpreter; `signature_key` is null or ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterGetSignatureRunner(
    interpreter: *const TfLiteInterpreter,
    signature_key: *const c_char,
) -> *mut TfLiteSignatureRunner {
    guard(ptr::null_mut(), || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let Some(shared) = (unsafe { shared(interpreter) }) else { return ptr::null_mut() };
        // SAFETY: as above.
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

/// Frees a runner.
///
/// # Safety
/// `runner` is null or a runner that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerDelete(runner: *mut TfLiteSignatureRunner) {
    // SAFETY: `runner` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(runner) };
}

fn name_at(list: &[Named], index: i32) -> *const c_char {
    let named = usize::try_from(index).ok().and_then(|index| list.get(index));
    named.map_or(ptr::null(), |named| named.name.as_ptr())
}

impl TfLiteSignatureRunner {
    /// The tensor of a name; the program is told where there is none.
    ///
    /// # Safety
    /// `name` is null or ends with a null byte.
    unsafe fn tensor(&self, list: &[Named], what: &str, name: *const c_char) -> Option<i32> {
        // SAFETY: `name` is null or a string that ends with a null byte, as `# Safety` requires.
        let name = unsafe { text(name) };
        let found = name.and_then(|name| list.iter().find(|named| *named.name == *name));
        if found.is_none() {
            let name = name.map_or("null".into(), CStr::to_string_lossy);
            self.shared.reporter.report(format_args!("{what} name {name} was not found"));
        }
        found.map(|named| named.tensor)
    }
}

/// Number of inputs; 0 for null.
///
/// # Safety
/// `runner` is null or a runner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerGetInputCount(runner: *const TfLiteSignatureRunner) -> usize {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(0, |runner| runner.inputs.len())
}

/// Name of an input; null where there is none.
///
/// # Safety
/// `runner` is null or a runner, which lives as long as the name is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerGetInputName(
    runner: *const TfLiteSignatureRunner,
    input_index: i32,
) -> *const c_char {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(ptr::null(), |runner| name_at(&runner.inputs, input_index))
}

/// Gives an input another shape, which differs from the model's only where that is unknown.
///
/// # Safety
/// `runner` is null or a runner; the name is null or ends with a null byte; `input_dims` is null or has `input_dims_size` integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerResizeInputTensor(
    runner: *mut TfLiteSignatureRunner,
    input_name: *const c_char,
    input_dims: *const c_int,
    input_dims_size: i32,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the caller's promise.
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
                    "input tensor {tensor} has shape {signature:?}, of which only −1 can be chosen; {dims:?} differs"
                ));
                return kTfLiteError;
            }
            runner.shared.with(|state| state.resize(runner.subgraph, tensor as usize, dims))
        }
    })
}

/// Gives all tensors of the signature's subgraph their shapes and memory.
///
/// # Safety
/// `runner` is null or a runner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerAllocateTensors(
    runner: *mut TfLiteSignatureRunner,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
        let runner = unsafe { runner.as_ref() };
        runner.map_or(kTfLiteError, |runner| runner.shared.with(|state| state.allocate(runner.subgraph)))
    })
}

/// An input by name; null where there is none.
///
/// # Safety
/// As [`TfLiteSignatureRunnerGetOutputTensor`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerGetInputTensor(
    runner: *mut TfLiteSignatureRunner,
    input_name: *const c_char,
) -> *mut TfLiteTensor {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
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
/// `runner` is null or a runner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerInvoke(runner: *mut TfLiteSignatureRunner) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
        let runner = unsafe { runner.as_ref() };
        runner.map_or(kTfLiteError, |runner| runner.shared.with(|state| state.invoke(runner.subgraph)))
    })
}

/// Number of outputs; 0 for null.
///
/// # Safety
/// `runner` is null or a runner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerGetOutputCount(runner: *const TfLiteSignatureRunner) -> usize {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(0, |runner| runner.outputs.len())
}

/// Name of an output; null where there is none.
///
/// # Safety
/// `runner` is null or a runner, which lives as long as the name is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerGetOutputName(
    runner: *const TfLiteSignatureRunner,
    output_index: i32,
) -> *const c_char {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    unsafe { runner.as_ref() }.map_or(ptr::null(), |runner| name_at(&runner.outputs, output_index))
}

/// An output by name; null where there is none.
///
/// # Safety
/// `runner` is null or a runner, which lives as long as the tensor is used; the name is null or ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerGetOutputTensor(
    runner: *const TfLiteSignatureRunner,
    output_name: *const c_char,
) -> *const TfLiteTensor {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        unsafe {
            let Some(runner) = runner.as_ref() else { return ptr::null_mut() };
            let tensor = runner.tensor(&runner.outputs, "Output", output_name);
            tensor.map_or(ptr::null_mut(), |tensor| runner.table.at(tensor))
        }
    })
}

/// Stops the invocation in progress, from any thread; an error unless the options allow it.
///
/// # Safety
/// `runner` is null or a runner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSignatureRunnerCancel(runner: *mut TfLiteSignatureRunner) -> TfLiteStatus {
    // SAFETY: `runner` is null or points to a live value, as `# Safety` requires.
    let Some(runner) = (unsafe { runner.as_ref() }).filter(|runner| runner.shared.can_cancel) else {
        return kTfLiteError;
    };
    runner.shared.cancel.cancel();
    kTfLiteOk
}
