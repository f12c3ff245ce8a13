//! Functions of `c_api_opaque.h` on nodes.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::arrays::{TfLiteIntArrayFree, int_array, numbers};
use crate::guard::{guard, list};
use crate::kernel::types::{TfLiteContext, TfLiteNode};
use crate::types::*;

/// The elements of one of a node's arrays; empty for null.
///
/// # Safety
/// `node` must be null or point to a live node that is not modified during `'a`.
unsafe fn numbers_of<'a>(
    node: *const TfLiteNode,
    list: impl FnOnce(&TfLiteNode) -> *mut TfLiteIntArray,
) -> &'a [i32] {
    // SAFETY: `node` is null or points to a live value, as `# Safety` requires.
    unsafe { node.as_ref().map_or(&[], |node| numbers(list(node))) }
}

/// The tensor whose index is at `position` in `list`; null if the position is out of range or the tensor is absent.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
unsafe fn tensor_at(context: *const TfLiteContext, list: &[i32], position: c_int) -> *mut TfLiteTensor {
    let index = usize::try_from(position).ok().and_then(|position| list.get(position)).copied();
    // SAFETY: `# Safety` requires the same of `context`.
    unsafe { super::context::tensor(context, index.unwrap_or(kTfLiteOptionalTensor)) }
}

/// Writes the address and length of `numbers`.
///
/// # Safety
/// `data` and `count` must be null or writable.
unsafe fn give(numbers: &[i32], data: *mut *const c_int, count: *mut c_int) -> TfLiteStatus {
    if data.is_null() || count.is_null() {
        return kTfLiteError;
    }
    // SAFETY: neither is null, as checked, so both are writable, as `# Safety` requires.
    unsafe {
        data.write(numbers.as_ptr());
        count.write(numbers.len() as c_int);
    }
    kTfLiteOk
}

/// Input `index` of a node; null if the index is out of range or the input is absent.
///
/// # Safety
/// `context` and `node` must be null, or have been passed by this library to a kernel or delegate whose call has not
/// returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeGetInput(
    context: *const TfLiteContext,
    node: *const TfLiteNode,
    index: c_int,
) -> *const TfLiteTensor {
    // SAFETY: `context` and `node` are null or belong to the running kernel or delegate, as `# Safety` requires.
    unsafe { tensor_at(context, numbers_of(node, |node| node.inputs), index) }
}

/// Output `index` of a node; null if the index is out of range or the output is absent.
///
/// # Safety
/// `context` and `node` must be null, or have been passed by this library to a kernel or delegate whose call has not
/// returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeGetOutput(
    context: *mut TfLiteContext,
    node: *const TfLiteNode,
    index: c_int,
) -> *mut TfLiteTensor {
    // SAFETY: `context` and `node` are null or belong to the running kernel or delegate, as `# Safety` requires.
    unsafe { tensor_at(context, numbers_of(node, |node| node.outputs), index) }
}

/// The number of inputs, including absent ones; 0 for null.
///
/// # Safety
/// `node` must be null or point to a live node of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeNumberOfInputs(node: *const TfLiteNode) -> c_int {
    // SAFETY: `node` is null or a live node, as `# Safety` requires.
    unsafe { numbers_of(node, |node| node.inputs) }.len() as c_int
}

/// The number of outputs; 0 for null.
///
/// # Safety
/// `node` must be null or point to a live node of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeNumberOfOutputs(node: *const TfLiteNode) -> c_int {
    // SAFETY: `node` is null or a live node, as `# Safety` requires.
    unsafe { numbers_of(node, |node| node.outputs) }.len() as c_int
}

/// What `init` returned for the node; null for null.
///
/// # Safety
/// `node` must be null or point to a live node of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeGetUserData(node: *const TfLiteNode) -> *mut c_void {
    // SAFETY: `node` is null or points to a live value, as `# Safety` requires.
    unsafe { node.as_ref() }.map_or(ptr::null_mut(), |node| node.user_data)
}

/// The parameter struct of a builtin op; null for a custom op.
///
/// # Safety
/// `node` must be null or point to a live node of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeGetBuiltinData(node: *const TfLiteNode) -> *mut c_void {
    // SAFETY: `node` is null or points to a live value, as `# Safety` requires.
    unsafe { node.as_ref() }.map_or(ptr::null_mut(), |node| node.builtin_data)
}

/// Writes the address and size in bytes of a custom op's options.
///
/// # Safety
/// `node` must be null or point to a live node of this library. `data` and `size` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeGetCustomInitialData(
    node: *const TfLiteNode,
    data: *mut *const c_void,
    size: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `node` is null or live, and the results are writable where they are not null, as `# Safety` requires.
    unsafe {
        let Some(node) = node.as_ref().filter(|_| !data.is_null() && !size.is_null()) else {
            return kTfLiteError;
        };
        data.write(node.custom_initial_data);
        size.write(node.custom_initial_data_size);
    }
    kTfLiteOk
}

/// Writes the tensor indices of the inputs.
///
/// # Safety
/// `node` must be null or point to a live node of this library. `inputs` and `count` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeInputs(
    node: *const TfLiteNode,
    inputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `node` is null or live, and the results are null or writable, as `# Safety` requires.
    unsafe { give(numbers_of(node, |node| node.inputs), inputs, count) }
}

/// Writes the tensor indices of the outputs.
///
/// # Safety
/// `node` must be null or point to a live node of this library. `outputs` and `count` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeOutputs(
    node: *const TfLiteNode,
    outputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `node` is null or live, and the results are null or writable, as `# Safety` requires.
    unsafe { give(numbers_of(node, |node| node.outputs), outputs, count) }
}

/// Writes the indices of the temporary tensors.
///
/// # Safety
/// `node` must be null or point to a live node of this library. `temporaries` and `count` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeTemporaries(
    node: *const TfLiteNode,
    temporaries: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `node` is null or live, and the results are null or writable, as `# Safety` requires.
    unsafe { give(numbers_of(node, |node| node.temporaries), temporaries, count) }
}

/// Sets the temporary tensors of a node. The indices are copied.
///
/// # Safety
/// `node` must be null or point to a node whose kernel is running. `temporaries` must be null or point to `count`
/// integers.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeSetTemporaries(
    node: *mut TfLiteNode,
    temporaries: *const c_int,
    count: c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `node` is null or belongs to the running kernel, and `temporaries` is null or has `count` elements,
        // as `# Safety` requires. The old array belongs to the node.
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

/// The tensor index of an input; −1 if `input` is out of range.
///
/// # Safety
/// `node` must be null or point to a live node of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeGetInputTensorIndex(
    node: *const TfLiteNode,
    input: c_int,
) -> c_int {
    // SAFETY: `node` is null or a live node, as `# Safety` requires.
    let inputs = unsafe { numbers_of(node, |node| node.inputs) };
    usize::try_from(input).ok().and_then(|input| inputs.get(input)).copied().unwrap_or(-1)
}

/// The tensor index of an output; −1 if `output` is out of range.
///
/// # Safety
/// `node` must be null or point to a live node of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueNodeGetOutputTensorIndex(
    node: *const TfLiteNode,
    output: c_int,
) -> c_int {
    // SAFETY: `node` is null or a live node, as `# Safety` requires.
    let outputs = unsafe { numbers_of(node, |node| node.outputs) };
    usize::try_from(output).ok().and_then(|output| outputs.get(output)).copied().unwrap_or(-1)
}
