//! Functions of `c_api.h` that read a tensor. They access only the struct.

use std::ffi::{c_char, c_void};

use crate::arrays::numbers;
use crate::types::*;

/// The element type; `kTfLiteNoType` for null.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorType(tensor: *const TfLiteTensor) -> TfLiteType {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(kTfLiteNoType, |tensor| tensor.kind)
}

/// The number of dimensions; −1 if the shape is not known or `tensor` is null.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorNumDims(tensor: *const TfLiteTensor) -> i32 {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires; its `dims` are null or an array,
    // which `set_shape` maintains.
    unsafe { tensor.as_ref().and_then(|tensor| tensor.dims.as_ref()) }.map_or(-1, |dims| dims.size)
}

/// The size of dimension `index`; −1 if the index is out of range.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorDim(tensor: *const TfLiteTensor, index: i32) -> i32 {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    let dims = unsafe { tensor.as_ref().map_or(&[][..], |tensor| numbers(tensor.dims)) };
    usize::try_from(index).ok().and_then(|index| dims.get(index)).copied().unwrap_or(-1)
}

/// The size of the data in bytes; 0 for null.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorByteSize(tensor: *const TfLiteTensor) -> usize {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(0, |tensor| tensor.bytes)
}

/// The address of the data; null if none is allocated yet.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorData(tensor: *const TfLiteTensor) -> *mut c_void {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(std::ptr::null_mut(), |tensor| tensor.data)
}

/// The tensor's name; null for null.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorName(tensor: *const TfLiteTensor) -> *const c_char {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(std::ptr::null(), |tensor| tensor.name)
}

/// The scale and zero point of a tensor that has one of each; zeros if it is not quantized or is quantized per channel.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorQuantizationParams(
    tensor: *const TfLiteTensor,
) -> TfLiteQuantizationParams {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(TfLiteQuantizationParams::default(), |tensor| tensor.params)
}

/// Copies `bytes` bytes into the tensor. Returns `kTfLiteError` if the tensor has another size, has no memory or is
/// constant.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter that no other thread uses. `data` must be null or
/// point to `bytes` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorCopyFromBuffer(
    tensor: *mut TfLiteTensor,
    data: *const c_void,
    bytes: usize,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    let Some(tensor) = (unsafe { tensor.as_ref() }) else { return kTfLiteError };
    if tensor.allocation_type == kTfLiteMmapRo {
        // The bytes of the model are mapped from a file and cannot be written.
        return kTfLiteError;
    }
    // SAFETY: `Table::refresh` sets data and size together, so `tensor.data` is null or has `tensor.bytes` bytes; `#
    // Safety` requires `bytes` bytes at `data`.
    unsafe { copy(tensor, data, tensor.data, bytes) }
}

/// Copies the tensor's data to `data`. Returns `kTfLiteError` if the tensor's size is not `bytes` or it has no memory.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a live interpreter that no other thread writes. `data` must be null or
/// point to `bytes` writable bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorCopyToBuffer(
    tensor: *const TfLiteTensor,
    data: *mut c_void,
    bytes: usize,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    let Some(tensor) = (unsafe { tensor.as_ref() }) else { return kTfLiteError };
    // SAFETY: `Table::refresh` sets data and size together, so `tensor.data` is null or has `tensor.bytes` bytes; `#
    // Safety` requires `bytes` writable bytes at `data`.
    unsafe { copy(tensor, tensor.data, data, bytes) }
}

/// Copies `bytes` bytes. Returns `kTfLiteError` if the size of `tensor` differs or a pointer is null.
///
/// # Safety
/// If `tensor.bytes` is `bytes`, `from` and `to` must each be null or have `bytes` bytes.
unsafe fn copy(tensor: &TfLiteTensor, from: *const c_void, to: *mut c_void, bytes: usize) -> TfLiteStatus {
    if tensor.bytes != bytes {
        return kTfLiteError;
    }
    if bytes > 0 {
        if from.is_null() || to.is_null() {
            return kTfLiteError;
        }
        // SAFETY: neither is null, as checked, and both have `bytes` bytes, as `# Safety` requires; `copy_from` permits
        // overlap.
        unsafe { to.cast::<u8>().copy_from(from.cast(), bytes) };
    }
    kTfLiteOk
}
