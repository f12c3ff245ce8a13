//! Functions of `common.h` on tensors that the caller owns, or may change.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use crate::arrays::{self, TfLiteFloatArrayFree, TfLiteIntArrayCopy, TfLiteIntArrayFree};
use crate::types::*;

/// Kernels of others read a few bytes behind the end.
const SPARE: usize = 16;

/// Bytes of an element of each type; 0 where the type does not tell.
pub(crate) const TYPES: [(&std::ffi::CStr, usize); 24] = [
    (c"NOTYPE", 0),
    (c"FLOAT32", 32),
    (c"INT32", 32),
    (c"UINT8", 8),
    (c"INT64", 64),
    (c"STRING", 0),
    (c"BOOL", 8),
    (c"INT16", 16),
    (c"COMPLEX64", 64),
    (c"INT8", 8),
    (c"FLOAT16", 16),
    (c"FLOAT64", 64),
    (c"COMPLEX128", 128),
    (c"UINT64", 64),
    (c"RESOURCE", 32),
    (c"VARIANT", 0),
    (c"UINT32", 32),
    (c"UINT16", 16),
    (c"INT4", 4),
    (c"BFLOAT16", 16),
    (c"INT2", 2),
    (c"UINT4", 4),
    (c"FLOAT8_E4M3FN", 8),
    (c"FLOAT8_E5M2", 8),
];

/// Bits of an element; none for an unknown type, and one of no fixed size.
pub(crate) fn bits(kind: TfLiteType) -> Option<usize> {
    usize::try_from(kind).ok().and_then(|kind| TYPES.get(kind)).map(|row| row.1).filter(|&bits| bits > 0)
}

/// Bytes of a tensor of this type and shape.
pub(crate) fn bytes_of(kind: TfLiteType, shape: &[i32]) -> Option<usize> {
    let dims = shape.iter().map(|&dim| usize::try_from(dim).ok());
    let count = dims.into_iter().try_fold(1usize, |count, dim| count.checked_mul(dim?))?;
    Some(count.checked_mul(bits(kind)?)?.div_ceil(8))
}

/// Name of a type.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteTypeGetName(kind: TfLiteType) -> *const c_char {
    let row = usize::try_from(kind).ok().and_then(|kind| TYPES.get(kind));
    row.map_or(c"Unknown type", |row| row.0).as_ptr()
}

/// Frees a tensor's data, if it owns any.
///
/// # Safety
/// `tensor` is null or a tensor whose data, if it says that it is dynamic or persistent, comes from `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorDataFree(tensor: *mut TfLiteTensor) {
    // SAFETY: `tensor` is null or points to a live value that nothing else uses, as `# Safety` requires.
    let Some(tensor) = (unsafe { tensor.as_mut() }) else { return };
    if owns_data(tensor) {
        // SAFETY: as above.
        unsafe { arrays::free(tensor.data) };
    }
    tensor.data = ptr::null_mut();
}

pub(crate) fn owns_data(tensor: &TfLiteTensor) -> bool {
    matches!(tensor.allocation_type, kTfLiteDynamic | kTfLitePersistentRo)
}

/// Frees a quantization's parameters.
///
/// # Safety
/// `quantization` is null, or its parameters come from `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteQuantizationFree(quantization: *mut TfLiteQuantization) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(quantization) = quantization.as_mut() else { return };
        if quantization.kind == kTfLiteAffineQuantization
            && let Some(affine) = quantization.params.cast::<TfLiteAffineQuantization>().as_ref()
        {
            TfLiteFloatArrayFree(affine.scale);
            TfLiteIntArrayFree(affine.zero_point);
        }
        arrays::free(quantization.params);
        *quantization = TfLiteQuantization::NONE;
    }
}

/// `TfLiteDimensionMetadata`.
#[repr(C)]
struct DimensionMetadata {
    format: c_int,
    dense_size: c_int,
    segments: *mut TfLiteIntArray,
    indices: *mut TfLiteIntArray,
}

/// `TfLiteSparsity`.
#[repr(C)]
struct Sparsity {
    traversal_order: *mut TfLiteIntArray,
    block_map: *mut TfLiteIntArray,
    dims: *mut DimensionMetadata,
    dim_count: c_int,
}

/// Frees what tells of a sparse tensor. Tensors of this library are dense: sparse ones are expanded when a model is loaded.
///
/// # Safety
/// `sparsity` is null or a `TfLiteSparsity` that comes from `malloc`, as all its parts do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteSparsityFree(sparsity: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(parts) = sparsity.cast::<Sparsity>().as_ref() else { return };
        TfLiteIntArrayFree(parts.traversal_order);
        TfLiteIntArrayFree(parts.block_map);
        for dim in crate::guard::list(parts.dims, parts.dim_count).unwrap_or(&[]) {
            if dim.format != 0 {
                TfLiteIntArrayFree(dim.segments);
                TfLiteIntArrayFree(dim.indices);
            }
        }
        arrays::free(parts.dims.cast());
        arrays::free(sparsity);
    }
}

/// Frees all that a tensor owns.
///
/// # Safety
/// `tensor` is null or a tensor whose parts come from `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorFree(tensor: *mut TfLiteTensor) {
    // SAFETY: the caller's promise.
    unsafe {
        TfLiteTensorDataFree(tensor);
        let Some(tensor) = tensor.as_mut() else { return };
        TfLiteIntArrayFree(tensor.dims);
        tensor.dims = ptr::null_mut();
        TfLiteIntArrayFree(tensor.dims_signature.cast_mut());
        tensor.dims_signature = ptr::null();
        TfLiteQuantizationFree(&mut tensor.quantization);
        TfLiteSparsityFree(tensor.sparsity);
        tensor.sparsity = ptr::null_mut();
    }
}

/// Frees what a tensor owns, and sets its fields.
///
/// # Safety
/// `tensor` is null or a tensor whose parts come from `malloc`, as `dims` does, which is handed over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorReset(
    kind: TfLiteType,
    name: *const c_char,
    dims: *mut TfLiteIntArray,
    params: TfLiteQuantizationParams,
    data: *mut c_char,
    bytes: usize,
    allocation_type: TfLiteAllocationType,
    allocation: *const c_void,
    is_variable: bool,
    tensor: *mut TfLiteTensor,
) {
    // SAFETY: the caller's promise.
    unsafe {
        TfLiteTensorFree(tensor);
        let Some(tensor) = tensor.as_mut() else { return };
        *tensor = TfLiteTensor {
            kind,
            data: data.cast(),
            dims,
            params,
            allocation_type,
            bytes,
            allocation,
            name,
            is_variable,
            ..*tensor
        };
    }
}

/// Copies type, shape and data; an error where sizes differ, or one has no data.
///
/// # Safety
/// Both are null or tensors with as much data as they say, or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorCopy(
    source: *const TfLiteTensor,
    target: *mut TfLiteTensor,
) -> TfLiteStatus {
    if source.is_null() || target.is_null() || source == target.cast_const() {
        return kTfLiteOk;
    }
    // SAFETY: the caller's promise; they are two tensors, as looked at.
    unsafe {
        let (source, target) = (&*source, &mut *target);
        if source.bytes != target.bytes {
            return kTfLiteError;
        }
        target.kind = source.kind;
        TfLiteIntArrayFree(target.dims);
        target.dims = TfLiteIntArrayCopy(source.dims);
        if source.bytes > 0 {
            if source.data.is_null() || target.data.is_null() {
                return kTfLiteError;
            }
            target.data.cast::<u8>().copy_from(source.data.cast(), source.bytes);
        }
        target.buffer_handle = source.buffer_handle;
        target.data_is_stale = source.data_is_stale;
        target.delegate = source.delegate;
    }
    kTfLiteOk
}

/// Gives a dynamic tensor so many bytes; with `preserve_data` what fits of the old ones is kept. Nothing happens to other tensors.
///
/// # Safety
/// `tensor` is null or a tensor whose data, if it says that it is dynamic or persistent, comes from `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorResizeMaybeCopy(
    bytes: usize,
    tensor: *mut TfLiteTensor,
    preserve_data: bool,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or points to a live value that nothing else uses, as `# Safety` requires.
    let Some(tensor) = (unsafe { tensor.as_mut() }) else { return kTfLiteError };
    if !owns_data(tensor) {
        return kTfLiteOk;
    }
    if tensor.data.is_null() || bytes > tensor.bytes {
        let Some(room) = bytes.checked_add(SPARE) else { return kTfLiteError };
        let old = if preserve_data { tensor.data } else { ptr::null_mut() };
        // SAFETY: null or of `malloc`, by the caller's promise.
        let new = unsafe { arrays::realloc(old, room) };
        if new.is_null() {
            return kTfLiteError;
        }
        if !preserve_data {
            // SAFETY: as above; the tensor gets other data.
            unsafe { arrays::free(tensor.data) };
        }
        tensor.data = new;
    }
    tensor.bytes = bytes;
    kTfLiteOk
}

/// As [`TfLiteTensorResizeMaybeCopy`], what fits is kept.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorRealloc(bytes: usize, tensor: *mut TfLiteTensor) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { TfLiteTensorResizeMaybeCopy(bytes, tensor, true) }
}

/// The shape with −1 for what may be chosen, or the shape where all is fixed.
///
/// # Safety
/// `tensor` is null or a tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteTensorGetDimsSignature(tensor: *const TfLiteTensor) -> *const TfLiteIntArray {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(tensor) = tensor.as_ref() else { return ptr::null() };
        if arrays::numbers(tensor.dims_signature).is_empty() { tensor.dims } else { tensor.dims_signature }
    }
}
