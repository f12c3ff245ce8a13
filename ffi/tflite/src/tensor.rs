//! Functions of `c_api.h` on tensors: they read the struct, and nothing else.

use std::ffi::{c_char, c_void};

use crate::arrays::numbers;
use crate::types::*;

/// Type of the elements; `kTfLiteNoType` for null.
///
/// # Safety
/// `tensor` is null or a tensor of an interpreter that lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorType(tensor: *const TfLiteTensor) -> TfLiteType {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(kTfLiteNoType, |tensor| tensor.kind)
}

/// Number of dimensions; −1 where none are known, and for null.
///
/// # Safety
/// As [`TfLiteTensorType`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorNumDims(tensor: *const TfLiteTensor) -> i32 {
    // SAFETY: the caller's promise; dimensions are null or an array.
    unsafe { tensor.as_ref().and_then(|tensor| tensor.dims.as_ref()) }.map_or(-1, |dims| dims.size)
}

/// A dimension; −1 where there is none.
///
/// # Safety
/// As [`TfLiteTensorType`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorDim(tensor: *const TfLiteTensor, index: i32) -> i32 {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    let dims = unsafe { tensor.as_ref().map_or(&[][..], |tensor| numbers(tensor.dims)) };
    usize::try_from(index).ok().and_then(|index| dims.get(index)).copied().unwrap_or(-1)
}

/// Bytes of data.
///
/// # Safety
/// As [`TfLiteTensorType`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorByteSize(tensor: *const TfLiteTensor) -> usize {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(0, |tensor| tensor.bytes)
}

/// Where the data lies; null where there is none yet.
///
/// # Safety
/// As [`TfLiteTensorType`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorData(tensor: *const TfLiteTensor) -> *mut c_void {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(std::ptr::null_mut(), |tensor| tensor.data)
}

/// The tensor's name; null for null.
///
/// # Safety
/// As [`TfLiteTensorType`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorName(tensor: *const TfLiteTensor) -> *const c_char {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(std::ptr::null(), |tensor| tensor.name)
}

/// Scale and zero point of the whole tensor; zeros where it has none, or one per channel.
///
/// # Safety
/// As [`TfLiteTensorType`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorQuantizationParams(
    tensor: *const TfLiteTensor,
) -> TfLiteQuantizationParams {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(TfLiteQuantizationParams::default(), |tensor| tensor.params)
}

/// Copies data in; an error where sizes differ, or there is no memory.
///
/// # Safety
/// As [`TfLiteTensorType`]; `data` is null or has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorCopyFromBuffer(
    tensor: *mut TfLiteTensor,
    data: *const c_void,
    bytes: usize,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    let Some(tensor) = (unsafe { tensor.as_ref() }) else { return kTfLiteError };
    if tensor.allocation_type == kTfLiteMmapRo {
        // The model's own bytes are mapped from a file and cannot be written.
        return kTfLiteError;
    }
    // SAFETY: a tensor has as many bytes as it says; the other side is the caller's promise.
    unsafe { copy(tensor, data, tensor.data, bytes) }
}

/// Copies data out; an error where sizes differ, or there is no memory.
///
/// # Safety
/// As [`TfLiteTensorType`]; `data` is null or has room for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorCopyToBuffer(
    tensor: *const TfLiteTensor,
    data: *mut c_void,
    bytes: usize,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    let Some(tensor) = (unsafe { tensor.as_ref() }) else { return kTfLiteError };
    // SAFETY: as in `TfLiteTensorCopyFromBuffer`.
    unsafe { copy(tensor, tensor.data, data, bytes) }
}

/// # Safety
/// `from` and `to` are null or have `bytes` bytes, if `tensor` has as many.
unsafe fn copy(tensor: &TfLiteTensor, from: *const c_void, to: *mut c_void, bytes: usize) -> TfLiteStatus {
    if tensor.bytes != bytes {
        return kTfLiteError;
    }
    if bytes > 0 {
        if from.is_null() || to.is_null() {
            return kTfLiteError;
        }
        // SAFETY: the caller's promise; `copy` allows that they overlap.
        unsafe { to.cast::<u8>().copy_from(from.cast(), bytes) };
    }
    kTfLiteOk
}
