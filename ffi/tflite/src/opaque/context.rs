//! Contexts.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use super::tensor::TfLiteOpaqueTensorBuilder;
use crate::common::bits;
use crate::guard::guard;
use crate::kernel::context::{self, refuse};
use crate::kernel::scene::{self, Scene};
use crate::kernel::types::{TfLiteContext, TfLiteNode};
use crate::operator::TfLiteOperator;
use crate::types::*;

/// A tensor of a context; null where there is none.
///
/// # Safety
/// `context` is null or a context that a kernel was given, in its call.
pub(super) unsafe fn tensor(context: *const TfLiteContext, index: c_int) -> *mut TfLiteTensor {
    // SAFETY: `context` is null or points to a live value, as `# Safety` requires.
    unsafe { context.as_ref().map_or(ptr::null_mut(), |of| (of.get_tensor)(context, index)) }
}

/// Gives numbers of the scene by pointer and count.
///
/// # Safety
/// `context` is null or a context that a kernel was given, in its call; the results are null or writable.
unsafe fn give(
    context: *const TfLiteContext,
    list: impl FnOnce(&Scene) -> &[c_int],
    data: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(scene) = scene::of(context.cast_mut()).filter(|_| !data.is_null() && !count.is_null())
        else {
            return kTfLiteError;
        };
        let numbers = list(scene);
        data.write(numbers.as_ptr());
        count.write(numbers.len() as c_int);
    }
    kTfLiteOk
}

/// The nodes in the order in which they run, for delegates.
///
/// # Safety
/// `context` is null or a context that a kernel or a delegate was given, in its call; the result is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetExecutionPlan(
    context: *mut TfLiteContext,
    plan: *mut *mut TfLiteIntArray,
) -> TfLiteStatus {
    // SAFETY: `context` is null or points to a live value, as `# Safety` requires.
    unsafe { context.as_ref().map_or(kTfLiteError, |of| (of.get_execution_plan)(context, plan)) }
}

/// Nothing is shared among kernels this way: null.
///
/// # Safety
/// The result is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetExternalContext(
    context: *mut TfLiteContext,
    external_context: *mut *mut c_void,
    kind: c_int,
) -> TfLiteStatus {
    let _ = kind;
    if context.is_null() || external_context.is_null() {
        return kTfLiteError;
    }
    // SAFETY: `external_context` is writable, as `# Safety` requires.
    unsafe { external_context.write(ptr::null_mut()) };
    kTfLiteOk
}

/// A node and its op, for delegates.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetNodeAndRegistration(
    context: *mut TfLiteContext,
    node_index: c_int,
    node: *mut *mut TfLiteNode,
    operator: *mut *mut TfLiteOperator,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(of) = context.as_ref().filter(|_| !node.is_null() && !operator.is_null()) else {
            return kTfLiteError;
        };
        let mut registration = ptr::null_mut();
        let status = (of.get_node_and_registration)(context, node_index, node, &mut registration);
        if let Some(registration) = registration.as_ref().filter(|_| status == kTfLiteOk) {
            operator.write(registration.registration_external);
        }
        status
    }
}

/// A tensor; null where there is none.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetOpaqueTensor(
    context: *const TfLiteContext,
    index: c_int,
) -> *mut TfLiteTensor {
    // SAFETY: the caller's promise.
    unsafe { tensor(context, index) }
}

/// Inputs of the subgraph.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetInputs(
    context: *const TfLiteContext,
    inputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { give(context, |scene| &scene.ports.inputs, inputs, count) }
}

/// Outputs of the subgraph.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetOutputs(
    context: *const TfLiteContext,
    outputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { give(context, |scene| &scene.ports.outputs, outputs, count) }
}

/// Variables of the subgraph.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetVariables(
    context: *const TfLiteContext,
    variables: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { give(context, |scene| &scene.ports.variables, variables, count) }
}

/// Number of the subgraph's nodes.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetNumNodes(context: *const TfLiteContext) -> usize {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { scene::of(context.cast_mut()) }.map_or(0, |scene| scene.ports.nodes)
}

/// Number of tensors, those that kernels added included.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetNumTensors(context: *const TfLiteContext) -> usize {
    // SAFETY: `context` is null or points to a live value, as `# Safety` requires.
    unsafe { context.as_ref() }.map_or(0, |context| context.tensors_size)
}

/// The subgraph's name.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetName(context: *const TfLiteContext) -> *const c_char {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { scene::of(context.cast_mut()) }.map_or(ptr::null(), |scene| scene.ports.name.as_ptr())
}

/// Gives a tensor another shape. The array is handed over.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`]; `tensor` is null or one of the context's, `new_size` null or an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextResizeTensor(
    context: *mut TfLiteContext,
    tensor: *mut TfLiteTensor,
    new_size: *mut TfLiteIntArray,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { context::resize_tensor(context, tensor, new_size) }
}

/// Refused: kernels and delegates see one subgraph.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextAcquireSubgraphContext(
    context: *mut TfLiteContext,
    subgraph_index: c_int,
    acquired: *mut *mut TfLiteContext,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { context::acquire_subgraph_context(context, subgraph_index, acquired) }
}

/// Refused, as [`TfLiteOpaqueContextAcquireSubgraphContext`] is.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextReleaseSubgraphContext(
    context: *mut TfLiteContext,
    subgraph_index: c_int,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { context::release_subgraph_context(context, subgraph_index) }
}

/// Refused, as [`TfLiteOpaqueContextAcquireSubgraphContext`] is.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextMarkSubgraphAsDelegationSkippable(
    context: *mut TfLiteContext,
    subgraph_index: c_int,
) -> TfLiteStatus {
    let _ = subgraph_index;
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context, "TfLiteOpaqueContextMarkSubgraphAsDelegationSkippable is not served") }
}

/// Refused: a node's options are not found in a file.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetNodeInitDataMmapInfo(
    context: *const TfLiteContext,
    node: *const TfLiteNode,
    fd: *mut c_int,
    offset: *mut i64,
    size: *mut i64,
) -> TfLiteStatus {
    let _ = (node, fd, offset, size);
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context.cast_mut(), "TfLiteOpaqueContextGetNodeInitDataMmapInfo is not served") }
}

/// Adds a tensor, of one of three allocation types: dynamic with data, or one of the arena's two without.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`]; `builder` is null or a builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextAddTensor(
    context: *mut TfLiteContext,
    builder: *mut TfLiteOpaqueTensorBuilder,
    new_tensor_index: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the caller's promise.
        unsafe {
            let Some(builder) = builder.as_ref() else { return kTfLiteError };
            let fits = match builder.tensor.allocation_type {
                kTfLiteDynamic => !builder.tensor.data.is_null(),
                kTfLiteArenaRw | kTfLiteArenaRwPersistent => builder.tensor.data.is_null(),
                _ => false,
            };
            if !fits {
                return refuse(
                    context,
                    "a tensor to add is dynamic, with data, or in the arena (kTfLiteArenaRw, kTfLiteArenaRwPersistent), without",
                );
            }
            let mut index = -1;
            let status = context::add_tensors(context, 1, &mut index);
            let Some(new) = tensor(context, index).as_mut().filter(|_| status == kTfLiteOk) else {
                return kTfLiteError;
            };
            *new = builder.tensor;
            if !new_tensor_index.is_null() {
                new_tensor_index.write(index);
            }
        }
        kTfLiteOk
    })
}

/// Bytes of an element; an error for a type that does not tell.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetSizeOfType(
    context: *mut TfLiteContext,
    kind: TfLiteType,
    bytes: *mut usize,
) -> TfLiteStatus {
    let Some(bits) = bits(kind).filter(|bits| bits % 8 == 0 && !bytes.is_null()) else {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        return unsafe { refuse(context, &format!("an element of type {kind} has no size in whole bytes")) };
    };
    // SAFETY: `bytes` is writable, as `# Safety` requires.
    unsafe { bytes.write(bits / 8) };
    kTfLiteOk
}

/// Bytes that the model's file has under a name.
///
/// # Safety
/// As [`TfLiteOpaqueContextGetExecutionPlan`]; `name` is null or ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextGetMetadata(
    context: *mut TfLiteContext,
    name: *const c_char,
    data: *mut *const c_char,
    bytes: *mut usize,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { context::get_model_metadata(context, name, data, bytes) }
}
