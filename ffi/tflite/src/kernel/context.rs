//! The functions of a `TfLiteContext`, which kernels call.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::node::{KernelMemory, Node};
use super::resize::{resize_tensor, resize_tensor_explicit};
use super::scene;
use super::types::{LatestRegistration, TfLiteContext, TfLiteNode, TfLiteRegistration};
use crate::guard::{guard, text};
use crate::report::arenite_tflite_report;
use crate::types::*;

/// A context without a scene.
pub(crate) fn new(threads: c_int) -> TfLiteContext {
    TfLiteContext {
        tensors_size: 0,
        get_execution_plan,
        tensors: ptr::null_mut(),
        scene: ptr::null_mut(),
        resize_tensor,
        report_error: arenite_tflite_report,
        add_tensors,
        get_node_and_registration,
        replace_node_subsets,
        recommended_num_threads: threads,
        get_external_context,
        set_external_context,
        allow_fp32_relax_to_fp16: false,
        profiler: ptr::null_mut(),
        allocate_persistent_buffer,
        allocate_buffer_for_eval,
        request_scratch_buffer,
        get_scratch_buffer,
        resize_tensor_explicit,
        preview_delegate_partitioning,
        get_tensor,
        get_eval_tensor,
        get_model_metadata,
        acquire_subgraph_context,
        release_subgraph_context,
    }
}

/// Reports why a kernel's request fails, and returns `kTfLiteError`.
///
/// # Safety
/// `context` must be null or the context of a live scene.
pub(crate) unsafe fn refuse(context: *mut TfLiteContext, what: &str) -> TfLiteStatus {
    if !context.is_null() {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        let reporter = unsafe { scene::reporter_of(context.cast()) };
        reporter.report(what);
    }
    kTfLiteError
}

/// Adds `count` tensors and writes the index of the first one to `first`.
///
/// # Safety
/// `context` must be null or the context of a scene whose kernel is running. `first` must be null or writable.
pub(crate) unsafe extern "C" fn add_tensors(
    context: *mut TfLiteContext,
    count: c_int,
    first: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        let Some(scene) = (unsafe { scene::of(context) }) else { return kTfLiteError };
        let Ok(count) = usize::try_from(count) else { return kTfLiteError };
        let index = scene.add_tensors(count);
        if !first.is_null() {
            // SAFETY: `first` is writable, as `# Safety` requires.
            unsafe { first.write(index as c_int) };
        }
        kTfLiteOk
    })
}

/// The tensor at `index`; null if the index is out of range.
///
/// # Safety
/// `context` must be null or the context of a live scene.
unsafe extern "C" fn get_tensor(context: *const TfLiteContext, index: c_int) -> *mut TfLiteTensor {
    // SAFETY: `context` is null or a scene's, as `# Safety` requires; `shown_context` set its `tensors_size` to the
    // number of tensors.
    unsafe {
        match (context.as_ref(), usize::try_from(index)) {
            (Some(context), Ok(index)) if index < context.tensors_size => context.tensors.add(index),
            _ => ptr::null_mut(),
        }
    }
}

/// Returns null: only TensorFlow Lite for microcontrollers has these structs.
unsafe extern "C" fn get_eval_tensor(_: *const TfLiteContext, _: c_int) -> *mut c_void {
    ptr::null_mut()
}

/// The node whose kernel is running; `None` if there is none.
///
/// # Safety
/// `context` must be null or the context of a live scene, and nothing else may refer to the scene during `'a`.
unsafe fn current<'a>(context: *mut TfLiteContext) -> Option<&'a mut Node> {
    // SAFETY: `# Safety` requires the same of `context`; `Scene::run` sets `current` to a node of the scene, or to
    // null.
    unsafe { scene::of(context)?.current.as_mut() }
}

/// Allocates zeroed memory that exists as long as the node.
///
/// # Safety
/// `context` must be null or the context of a scene whose kernel is running.
unsafe extern "C" fn allocate_persistent_buffer(context: *mut TfLiteContext, bytes: usize) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        let Some(node) = (unsafe { current(context) }) else { return ptr::null_mut() };
        node.persistent.push(KernelMemory::zeroed(bytes));
        node.persistent.last_mut().map_or(ptr::null_mut(), KernelMemory::as_mut_ptr)
    })
}

/// Allocates zeroed memory that exists until the next `invoke` of the node.
///
/// # Safety
/// `context` must be null or the context of a scene whose kernel is running. `data` must be null or writable.
unsafe extern "C" fn allocate_buffer_for_eval(
    context: *mut TfLiteContext,
    bytes: usize,
    data: *mut *mut c_void,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        let Some(node) = (unsafe { current(context) }).filter(|_| !data.is_null()) else {
            return kTfLiteError;
        };
        node.for_call.push(KernelMemory::zeroed(bytes));
        let at = node.for_call.last_mut().map_or(ptr::null_mut(), KernelMemory::as_mut_ptr);
        // SAFETY: `data` is writable, as `# Safety` requires.
        unsafe { data.write(at) };
        kTfLiteOk
    })
}

/// Requests a scratch buffer of `bytes` bytes for `invoke`, and writes its index.
///
/// # Safety
/// `context` must be null or the context of a scene whose kernel is running. `index` must be null or writable.
unsafe extern "C" fn request_scratch_buffer(
    context: *mut TfLiteContext,
    bytes: usize,
    index: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        let Some(node) = (unsafe { current(context) }).filter(|_| !index.is_null()) else {
            return kTfLiteError;
        };
        node.scratch.push(bytes);
        // SAFETY: `index` is writable, as `# Safety` requires.
        unsafe { index.write(node.scratch.len() as c_int - 1) };
        kTfLiteOk
    })
}

/// The address of a scratch buffer; null outside `invoke`, and if the index is out of range.
///
/// # Safety
/// `context` must be null or the context of a scene whose kernel is running.
unsafe extern "C" fn get_scratch_buffer(context: *mut TfLiteContext, index: c_int) -> *mut c_void {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    let node = unsafe { current(context) };
    let at = node.and_then(|node| node.scratch_at.get(usize::try_from(index).ok()?).copied());
    at.unwrap_or(ptr::null_mut())
}

/// Returns null: kernels cannot share external contexts.
unsafe extern "C" fn get_external_context(_: *mut TfLiteContext, _: c_int) -> *mut c_void {
    ptr::null_mut()
}

unsafe extern "C" fn set_external_context(_: *mut TfLiteContext, _: c_int, _: *mut c_void) {}

/// Finds metadata of the model by name, and writes its address and size.
///
/// # Safety
/// `context` must be null or the context of a live scene. `name` must be null or point to a null-terminated string.
/// `data` and `bytes` must be null or writable.
pub(crate) unsafe extern "C" fn get_model_metadata(
    context: *const TfLiteContext,
    name: *const c_char,
    data: *mut *const c_char,
    bytes: *mut usize,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: context and name are null or valid and the results are null or writable, as `# Safety` requires.
        unsafe {
            let (Some(scene), Some(name)) = (scene::of(context.cast_mut()), text(name).map(CStr::to_str))
            else {
                return kTfLiteError;
            };
            let found = name.ok().and_then(|name| scene.model.view().metadata(name));
            let Some(found) = found.filter(|_| !data.is_null() && !bytes.is_null()) else {
                return kTfLiteError;
            };
            data.write(found.as_ptr().cast());
            bytes.write(found.len());
        }
        kTfLiteOk
    })
}

const DELEGATES_ONLY: &str = "a kernel called a function of its context that only delegates can use";

/// Reports an error: only delegates may call this function, for which `delegate::graph::looking` replaces it.
///
/// # Safety
/// `context` must be null or the context of a live scene.
pub(crate) unsafe extern "C" fn get_execution_plan(
    context: *mut TfLiteContext,
    _: *mut *mut TfLiteIntArray,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context, DELEGATES_ONLY) }
}

/// Reports an error: only delegates may call this function, for which `delegate::graph::looking` replaces it.
///
/// # Safety
/// `context` must be null or the context of a live scene.
pub(crate) unsafe extern "C" fn get_node_and_registration(
    context: *mut TfLiteContext,
    _: c_int,
    _: *mut *mut TfLiteNode,
    _: *mut *mut LatestRegistration,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context, DELEGATES_ONLY) }
}

/// Reports an error: only delegates may call this function, for which `delegate::graph::looking` replaces it.
///
/// # Safety
/// `context` must be null or the context of a live scene.
pub(crate) unsafe extern "C" fn replace_node_subsets(
    context: *mut TfLiteContext,
    _: TfLiteRegistration,
    _: *const TfLiteIntArray,
    _: *mut c_void,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context, DELEGATES_ONLY) }
}

/// Reports an error: only delegates may call this function, for which `delegate::graph::looking` replaces it.
///
/// # Safety
/// `context` must be null or the context of a live scene.
unsafe extern "C" fn preview_delegate_partitioning(
    context: *mut TfLiteContext,
    _: *const TfLiteIntArray,
    _: *mut *mut c_void,
    _: *mut c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { refuse(context, "PreviewDelegatePartitioning is not supported here") }
}

/// Reports an error: contexts of other subgraphs are not supported.
///
/// # Safety
/// `context` must be null or the context of a live scene.
pub(crate) unsafe extern "C" fn acquire_subgraph_context(
    context: *mut TfLiteContext,
    _: c_int,
    _: *mut *mut TfLiteContext,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe {
        refuse(
            context,
            "AcquireSubgraphContext is not supported: kernels and delegates see only one subgraph",
        )
    }
}

/// Reports an error: contexts of other subgraphs are not supported.
///
/// # Safety
/// `context` must be null or the context of a live scene.
pub(crate) unsafe extern "C" fn release_subgraph_context(
    context: *mut TfLiteContext,
    _: c_int,
) -> TfLiteStatus {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe {
        refuse(
            context,
            "ReleaseSubgraphContext is not supported: kernels and delegates see only one subgraph",
        )
    }
}
