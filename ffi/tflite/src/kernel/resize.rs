//! Changes of a tensor's shape that kernels request.

use std::ffi::c_int;
use std::ptr;

use arenite::abi::host_side::MAX_RANK;

use super::types::TfLiteContext;
use crate::arrays::{TfLiteIntArrayFree, int_array, numbers};
use crate::common::{TfLiteTensorRealloc, bits, bytes_of, owns_data};
use crate::guard::{c_string, guard};
use crate::report::arenite_tflite_report;
use crate::types::*;

/// Reports why a request fails, and returns `kTfLiteError`.
///
/// # Safety
/// `context` must be null or the context of a live scene.
unsafe fn refuse(context: *mut TfLiteContext, what: &str) -> TfLiteStatus {
    let what = c_string(what);
    // SAFETY: `context` is null or a live context, as `# Safety` requires, and `%s` consumes the one argument, which is
    // null-terminated; the function checks for null.
    unsafe { arenite_tflite_report(context.cast(), c"%s".as_ptr(), what.as_ptr()) };
    kTfLiteError
}

/// Changes the shape of a tensor. Takes ownership of the array, which becomes the tensor's unless there is an error.
///
/// # Safety
/// `context` must be null or the context of a scene whose kernel is running. `tensor` must be null or point to one of
/// its tensors. `dims` must be null or point to an array from `malloc` that nothing else frees.
pub(crate) unsafe extern "C" fn resize_tensor(
    context: *mut TfLiteContext,
    tensor: *mut TfLiteTensor,
    dims: *mut TfLiteIntArray,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: tensor and array are null or valid, as `# Safety` requires.
        unsafe {
            if tensor.is_null() || dims.is_null() {
                TfLiteIntArrayFree(dims);
                return refuse(context, "cannot resize a tensor: the tensor or its new shape is null");
            }
            resize(context, &mut *tensor, dims)
        }
    })
}

/// Like [`resize_tensor`], with a shape that the kernel keeps.
///
/// # Safety
/// `context` must be null or the context of a scene whose kernel is running. `tensor` must be null or point to one of
/// its tensors. `shape` must be null or point to `dims` integers.
pub(super) unsafe extern "C" fn resize_tensor_explicit(
    context: *mut TfLiteContext,
    tensor: *mut TfLiteTensor,
    dims: c_int,
    shape: *const c_int,
) -> TfLiteStatus {
    // SAFETY: tensor and shape are null or valid, as `# Safety` requires; `list` checks for null, and `int_array`
    // returns a new array.
    guard(kTfLiteError, || unsafe {
        let dims = crate::guard::list(shape, dims).map_or(ptr::null_mut(), int_array);
        resize_tensor(context, tensor, dims)
    })
}

/// Gives a tensor the shape `dims`, which is not null. Reports an error for a shape that is not valid, and for a tensor
/// that cannot change.
///
/// # Safety
/// `context` must be null or the context of a live scene. `tensor` must own its shape and, if it is dynamic or
/// persistent, its data, both from `malloc`. `dims` must be an array from `malloc`.
unsafe fn resize(
    context: *mut TfLiteContext,
    tensor: &mut TfLiteTensor,
    dims: *mut TfLiteIntArray,
) -> TfLiteStatus {
    let is_new = dims != tensor.dims;
    // SAFETY: both shapes and the tensor's own data come from `malloc`, as `# Safety` requires. The array that is freed
    // is not the tensor's.
    unsafe {
        let bytes = match resized(tensor, numbers(dims)) {
            Ok(bytes) => bytes,
            Err(what) => {
                if is_new {
                    TfLiteIntArrayFree(dims);
                }
                return refuse(context, &what);
            }
        };
        if is_new {
            TfLiteIntArrayFree(tensor.dims);
            tensor.dims = dims;
        }
        if owns_data(tensor) && bits(tensor.kind).is_some() {
            return TfLiteTensorRealloc(bytes, tensor);
        }
        tensor.bytes = bytes;
    }
    kTfLiteOk
}

/// The size of a tensor in bytes if it had this shape.
///
/// # Errors
/// A message if the shape is not valid, or if the tensor cannot change.
fn resized(tensor: &TfLiteTensor, shape: &[i32]) -> Result<usize, String> {
    if shape.len() > MAX_RANK {
        let rank = shape.len();
        return Err(format!("a shape has {rank} dimensions; at most {MAX_RANK} are supported"));
    }
    // SAFETY: nothing changes the tensor's shape during the comparison.
    let is_same = unsafe { numbers(tensor.dims) } == shape;
    // During `invoke`, all tensors that are not dynamic have their memory already.
    let has_place = !owns_data(tensor) && !tensor.data.is_null();
    if tensor.allocation_type == kTfLiteMmapRo || has_place && !is_same {
        return Err(format!(
            "cannot change the shape of a tensor to {shape:?}: it is constant, or it has memory and is not dynamic"
        ));
    }
    if bits(tensor.kind).is_none() {
        return Ok(tensor.bytes);
    }
    let no_size = || format!("a tensor of type {} cannot have shape {shape:?}", tensor.kind);
    bytes_of(tensor.kind, shape).ok_or_else(no_size)
}
