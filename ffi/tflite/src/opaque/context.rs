//! Functions of `c_api_opaque.h` on contexts.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use super::tensor::TfLiteOpaqueTensorBuilder;
use crate::common::bits;
use crate::guard::guard;
use crate::kernel::context::{self, refuse};
use crate::kernel::resize::resize_tensor;
use crate::kernel::scene::{self, Scene};
use crate::kernel::types::{TfLiteContext, TfLiteNode};
use crate::operator::TfLiteOperator;
use crate::types::*;

/// The tensor at `index`; null if the index is out of range.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
pub(super) unsafe fn tensor(context: *const TfLiteContext, index: c_int) -> *mut TfLiteTensor {
    // SAFETY: `context` is null or points to a live value, as `# Safety` requires.
    unsafe { context.as_ref().map_or(ptr::null_mut(), |of| (of.get_tensor)(context, index)) }
}

/// Writes the address and length of a list of the scene.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `data` and `count` must be null or writable.
unsafe fn give(
    context: *const TfLiteContext,
    list: impl FnOnce(&Scene) -> &[c_int],
    data: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: the context belongs to a live scene that only its running kernel or delegate uses, and the results are
    // writable where they are not null, as `# Safety` requires.
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

/// For delegates: writes the array of all nodes in execution order.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `plan` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetExecutionPlan(
    context: *mut TfLiteContext,
    plan: *mut *mut TfLiteIntArray,
) -> TfLiteStatus {
    // SAFETY: `context` is null or points to a live value, as `# Safety` requires.
    unsafe { context.as_ref().map_or(kTfLiteError, |of| (of.get_execution_plan)(context, plan)) }
}

/// Writes null: kernels cannot share external contexts.
///
/// # Safety
/// `external_context` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetExternalContext(
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

/// For delegates: writes the addresses of a node and its op.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `node` and `operator` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetNodeAndRegistration(
    context: *mut TfLiteContext,
    node_index: c_int,
    node: *mut *mut TfLiteNode,
    operator: *mut *mut TfLiteOperator,
) -> TfLiteStatus {
    // SAFETY: `context` is null or live and the results are writable where they are not null, as `# Safety` requires;
    // on success it has written the registration of a node.
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

/// The tensor at `index`; null if the index is out of range.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetOpaqueTensor(
    context: *const TfLiteContext,
    index: c_int,
) -> *mut TfLiteTensor {
    // SAFETY: `# Safety` requires the same of `context`.
    unsafe { tensor(context, index) }
}

/// Writes the tensor indices of the subgraph's inputs.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `inputs` and `count` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetInputs(
    context: *const TfLiteContext,
    inputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { give(context, |scene| &scene.ports.inputs, inputs, count) }
}

/// Writes the tensor indices of the subgraph's outputs.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `outputs` and `count` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetOutputs(
    context: *const TfLiteContext,
    outputs: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { give(context, |scene| &scene.ports.outputs, outputs, count) }
}

/// Writes the tensor indices of the subgraph's variables.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `variables` and `count` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetVariables(
    context: *const TfLiteContext,
    variables: *mut *const c_int,
    count: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { give(context, |scene| &scene.ports.variables, variables, count) }
}

/// The number of nodes of the subgraph; 0 for null.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetNumNodes(context: *const TfLiteContext) -> usize {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { scene::of(context.cast_mut()) }.map_or(0, |scene| scene.ports.nodes)
}

/// The number of tensors, including those that kernels added; 0 for null.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetNumTensors(context: *const TfLiteContext) -> usize {
    // SAFETY: `context` is null or points to a live value, as `# Safety` requires.
    unsafe { context.as_ref() }.map_or(0, |context| context.tensors_size)
}

/// The subgraph's name; null for null.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetName(context: *const TfLiteContext) -> *const c_char {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { scene::of(context.cast_mut()) }.map_or(ptr::null(), |scene| scene.ports.name.as_ptr())
}

/// Changes the shape of a tensor. Takes ownership of the array.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel whose call has not returned. `tensor` must
/// be null or point to one of its tensors. `new_size` must be null or point to an array from `malloc` that is not used
/// afterwards.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextResizeTensor(
    context: *mut TfLiteContext,
    tensor: *mut TfLiteTensor,
    new_size: *mut TfLiteIntArray,
) -> TfLiteStatus {
    // SAFETY: `# Safety` requires of all three pointers what `resize_tensor` requires.
    unsafe { resize_tensor(context, tensor, new_size) }
}

/// Always returns an error: kernels and delegates see only one subgraph.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextAcquireSubgraphContext(
    context: *mut TfLiteContext,
    subgraph_index: c_int,
    acquired: *mut *mut TfLiteContext,
) -> TfLiteStatus {
    // SAFETY: `context` is null or belongs to a live scene, as `# Safety` requires.
    unsafe { context::acquire_subgraph_context(context, subgraph_index, acquired) }
}

/// Always returns an error: kernels and delegates see only one subgraph.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextReleaseSubgraphContext(
    context: *mut TfLiteContext,
    subgraph_index: c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or belongs to a live scene, as `# Safety` requires.
    unsafe { context::release_subgraph_context(context, subgraph_index) }
}

/// Always returns an error: kernels and delegates see only one subgraph.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextMarkSubgraphAsDelegationSkippable(
    context: *mut TfLiteContext,
    subgraph_index: c_int,
) -> TfLiteStatus {
    let _ = subgraph_index;
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context, "TfLiteOpaqueContextMarkSubgraphAsDelegationSkippable is not supported") }
}

/// Always returns an error: the position of a node's options in the model file is not known.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetNodeInitDataMmapInfo(
    context: *const TfLiteContext,
    node: *const TfLiteNode,
    fd: *mut c_int,
    offset: *mut i64,
    size: *mut i64,
) -> TfLiteStatus {
    let _ = (node, fd, offset, size);
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context.cast_mut(), "TfLiteOpaqueContextGetNodeInitDataMmapInfo is not supported") }
}

/// Adds a tensor and writes its index, if `new_tensor_index` is not null. The tensor must be dynamic with data, or
/// `kTfLiteArenaRw` or `kTfLiteArenaRwPersistent` without data.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel whose call has not returned. `builder` must
/// be null or point to a live builder. `new_tensor_index` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextAddTensor(
    context: *mut TfLiteContext,
    builder: *mut TfLiteOpaqueTensorBuilder,
    new_tensor_index: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: context and builder are null or live and the result is null or writable, as `# Safety` requires;
        // `add_tensors` returned the index of the new tensor.
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
                    "a new tensor must be kTfLiteDynamic with data, or kTfLiteArenaRw or kTfLiteArenaRwPersistent without data",
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

/// Writes the size of an element in bytes. Returns `kTfLiteError` for a type whose elements are not whole bytes or have
/// no fixed size.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `bytes` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetSizeOfType(
    context: *mut TfLiteContext,
    kind: TfLiteType,
    bytes: *mut usize,
) -> TfLiteStatus {
    let Some(bits) = bits(kind).filter(|bits| bits % 8 == 0 && !bytes.is_null()) else {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        return unsafe {
            refuse(context, &format!("elements of type {kind} do not have a size in whole bytes"))
        };
    };
    // SAFETY: `bytes` is writable, as `# Safety` requires.
    unsafe { bytes.write(bits / 8) };
    kTfLiteOk
}

/// Finds metadata of the model by name, and writes its address and size.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel or delegate whose call has not returned.
/// `name` must be null or point to a null-terminated string. `data` and `bytes` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueContextGetMetadata(
    context: *mut TfLiteContext,
    name: *const c_char,
    data: *mut *const c_char,
    bytes: *mut usize,
) -> TfLiteStatus {
    // SAFETY: `# Safety` requires of all pointers what `get_model_metadata` requires.
    unsafe { context::get_model_metadata(context, name, data, bytes) }
}
