//! Nodes.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::arrays::{TfLiteIntArrayFree, int_array, numbers};
use crate::guard::{guard, list};
use crate::kernel::types::{TfLiteContext, TfLiteNode};
use crate::types::*;

/// A list of a node, its numbers alone.
///
/// # Safety
/// `node` is null or a node that nobody changes for `'a`.
unsafe fn numbers_of<'a>(
    node: *const TfLiteNode,
    list: impl FnOnce(&TfLiteNode) -> *mut TfLiteIntArray,
) -> &'a [i32] {
    // SAFETY: `node` is null or points to a live value, as `# Safety` requires.
    unsafe { node.as_ref().map_or(&[], |node| numbers(list(node))) }
}

/// The tensor of a node at a position of a list; null where there is none, or it is absent.
///
/// # Safety
/// `context` is null or a context, and has the node's tensors.
unsafe fn tensor_at(context: *const TfLiteContext, list: &[i32], position: c_int) -> *mut TfLiteTensor {
    let index = usize::try_from(position).ok().and_then(|position| list.get(position)).copied();
    // SAFETY: the caller's promise.
    unsafe { super::context::tensor(context, index.unwrap_or(kTfLiteOptionalTensor)) }
}

/// Gives numbers by pointer and count.
///
/// # Safety
/// `data` and `count` are null or writable.
unsafe fn give(numbers: &[i32], data: *mut *const c_int, count: *mut c_int) -> TfLiteStatus {
    if data.is_null() || count.is_null() {
        return kTfLiteError;
    }
    // SAFETY: the caller's promise.
    unsafe {
        data.write(numbers.as_ptr());
        count.write(numbers.len() as c_int);
    }
    kTfLiteOk
}

/// An input; null where there is none, or it is absent.
///
/// # Safety
/// Context and node are null, or those that a kernel was given, in its call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeGetInput(
    context: *const TfLiteContext,
    node: *const TfLiteNode,
    index: c_int,
) -> *const TfLiteTensor {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { tensor_at(context, numbers_of(node, |node| node.inputs), index) }
}

/// An output; null where there is none, or it is absent.
///
/// # Safety
/// As [`TfLiteOpaqueNodeGetInput`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeGetOutput(
    context: *mut TfLiteContext,
    node: *const TfLiteNode,
    index: c_int,
) -> *mut TfLiteTensor {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { tensor_at(context, numbers_of(node, |node| node.outputs), index) }
}

/// Number of inputs, absent ones included.
///
/// # Safety
/// `node` is null or a node of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeNumberOfInputs(node: *const TfLiteNode) -> c_int {
    // SAFETY: `node` is null or a node that a kernel received, as `# Safety` requires.
    unsafe { numbers_of(node, |node| node.inputs) }.len() as c_int
}

/// Number of outputs.
///
/// # Safety
/// `node` is null or a node of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeNumberOfOutputs(node: *const TfLiteNode) -> c_int {
    // SAFETY: `node` is null or a node that a kernel received, as `# Safety` requires.
    unsafe { numbers_of(node, |node| node.outputs) }.len() as c_int
}

/// What `init` returned for the node.
///
/// # Safety
/// `node` is null or a node of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeGetUserData(node: *const TfLiteNode) -> *mut c_void {
    // SAFETY: `node` is null or points to a live value, as `# Safety` requires.
    unsafe { node.as_ref() }.map_or(ptr::null_mut(), |node| node.user_data)
}

/// A builtin op's parameters; null for a custom op.
///
/// # Safety
/// `node` is null or a node of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeGetBuiltinData(node: *const TfLiteNode) -> *mut c_void {
    // SAFETY: `node` is null or points to a live value, as `# Safety` requires.
    unsafe { node.as_ref() }.map_or(ptr::null_mut(), |node| node.builtin_data)
}

/// A custom op's options.
///
/// # Safety
/// `node` is null or a node of this library; the results are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeGetCustomInitialData(
    node: *const TfLiteNode,
    data: *mut *const c_void,
    size: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(node) = node.as_ref().filter(|_| !data.is_null() && !size.is_null()) else {
            return kTfLiteError;
        };
        data.write(node.custom_initial_data);
        size.write(node.custom_initial_data_size);
    }
    kTfLiteOk
}

/// Indices of the inputs.
///
/// # Safety
/// `node` is null or a node of this library; the results are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeInputs(
    node: *const TfLiteNode,
    inputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { give(numbers_of(node, |node| node.inputs), inputs, count) }
}

/// Indices of the outputs.
///
/// # Safety
/// `node` is null or a node of this library; the results are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeOutputs(
    node: *const TfLiteNode,
    outputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { give(numbers_of(node, |node| node.outputs), outputs, count) }
}

/// Indices of the temporary tensors.
///
/// # Safety
/// `node` is null or a node of this library; the results are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeTemporaries(
    node: *const TfLiteNode,
    temporaries: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { give(numbers_of(node, |node| node.temporaries), temporaries, count) }
}

/// Says which tensors are temporary; the numbers are copied.
///
/// # Safety
/// `node` is null or a node whose kernel runs; `temporaries` is null or has `count` integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeSetTemporaries(
    node: *mut TfLiteNode,
    temporaries: *const c_int,
    count: c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the caller's promise; the array before is the node's own.
        unsafe {
            let (Some(node), Some(numbers)) = (node.as_mut(), list(temporaries, count)) else {
                return kTfLiteError;
            };
            let new = int_array(numbers);
            TfLiteIntArrayFree(node.temporaries);
            node.temporaries = new;
        }
        kTfLiteOk
    })
}

/// Index of the tensor that an input is; −1 where there is none.
///
/// # Safety
/// `node` is null or a node of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeGetInputTensorIndex(node: *const TfLiteNode, input: c_int) -> c_int {
    // SAFETY: `node` is null or a node that a kernel received, as `# Safety` requires.
    let inputs = unsafe { numbers_of(node, |node| node.inputs) };
    usize::try_from(input).ok().and_then(|input| inputs.get(input)).copied().unwrap_or(-1)
}

/// Index of the tensor that an output is; −1 where there is none.
///
/// # Safety
/// `node` is null or a node of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueNodeGetOutputTensorIndex(
    node: *const TfLiteNode,
    output: c_int,
) -> c_int {
    // SAFETY: `node` is null or a node that a kernel received, as `# Safety` requires.
    let outputs = unsafe { numbers_of(node, |node| node.outputs) };
    usize::try_from(output).ok().and_then(|output| outputs.get(output)).copied().unwrap_or(-1)
}
