//! Functions of `common.h` on tensors that the caller owns or may change.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use crate::arrays::{self, TfLiteFloatArrayFree, TfLiteIntArrayCopy, TfLiteIntArrayFree};
use crate::types::*;

/// Bytes added to each allocation: kernels of other libraries may read past the end.
const SPARE: usize = 16;

/// Name and bits per element of each type; 0 bits for a type without a fixed size.
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

/// Bits per element; `None` for an unknown type and for one without a fixed size.
pub(crate) fn bits(kind: TfLiteType) -> Option<usize> {
    usize::try_from(kind).ok().and_then(|kind| TYPES.get(kind)).map(|row| row.1).filter(|&bits| bits > 0)
}

/// Size in bytes of a tensor of this type and shape; `None` if a dimension is negative, the type has no fixed size, or
/// the result overflows.
pub(crate) fn bytes_of(kind: TfLiteType, shape: &[i32]) -> Option<usize> {
    let dims = shape.iter().map(|&dim| usize::try_from(dim).ok());
    let count = dims.into_iter().try_fold(1usize, |count, dim| count.checked_mul(dim?))?;
    Some(count.checked_mul(bits(kind)?)?.div_ceil(8))
}

/// The name of a type; `Unknown type` for a number that is not a type.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteTypeGetName(kind: TfLiteType) -> *const c_char {
    let row = usize::try_from(kind).ok().and_then(|kind| TYPES.get(kind));
    row.map_or(c"Unknown type", |row| row.0).as_ptr()
}

/// Frees the data of a tensor that owns it (dynamic and persistent tensors), and sets `data` to null.
///
/// # Safety
/// `tensor` must be null or point to a tensor that nothing else uses. If it is dynamic or persistent, its data must be
/// null or come from `malloc`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorDataFree(tensor: *mut TfLiteTensor) {
    // SAFETY: `tensor` is null or points to a live value that nothing else uses, as `# Safety` requires.
    let Some(tensor) = (unsafe { tensor.as_mut() }) else { return };
    if owns_data(tensor) {
        // SAFETY: the tensor is dynamic or persistent, as checked, so `# Safety` requires data from `malloc`.
        unsafe { arrays::free(tensor.data) };
    }
    tensor.data = ptr::null_mut();
}

pub(crate) fn owns_data(tensor: &TfLiteTensor) -> bool {
    matches!(tensor.allocation_type, kTfLiteDynamic | kTfLitePersistentRo)
}

/// Frees a quantization's parameters and sets it to "not quantized".
///
/// # Safety
/// `quantization` must be null or point to a quantization that nothing else uses, whose parameters and arrays are null
/// or come from `malloc`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteQuantizationFree(quantization: *mut TfLiteQuantization) {
    // SAFETY: `quantization` is null or a live value with parameters from `malloc`, as `# Safety` requires; affine
    // quantization has parameters of this type.
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

/// Frees the description of a sparse tensor. Tensors of this library are dense: sparse ones are expanded when a model
/// is loaded.
///
/// # Safety
/// `sparsity` must be null or point to a `TfLiteSparsity` that comes from `malloc`, like all its members.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteSparsityFree(sparsity: *mut c_void) {
    // SAFETY: `sparsity` is null or a `TfLiteSparsity` whose members come from `malloc`, as `# Safety` requires.
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

/// Frees everything that a tensor owns, but not the struct.
///
/// # Safety
/// `tensor` must be null or point to a tensor that nothing else uses. Its shape, signature, quantization, sparsity and,
/// if it is dynamic or persistent, its data must be null or come from `malloc`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorFree(tensor: *mut TfLiteTensor) {
    // SAFETY: `tensor` is null or a live value whose members come from `malloc`, as `# Safety` requires.
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

/// Frees everything that a tensor owns, and sets its fields.
///
/// # Safety
/// `tensor` must be null or point to a tensor that nothing else uses and whose members come from `malloc`. `dims` must
/// be null or come from `malloc`; the tensor takes ownership.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorReset(
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
    // SAFETY: `tensor` is null or a live value whose members come from `malloc`, as `# Safety` requires.
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

/// Copies type, shape and data. Returns `kTfLiteError` if the sizes differ or a tensor has no data.
///
/// # Safety
/// Both must be null or point to tensors whose data is null or has `bytes` bytes. Nothing else may use `target`, whose
/// shape must come from `malloc`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorCopy(
    source: *const TfLiteTensor,
    target: *mut TfLiteTensor,
) -> TfLiteStatus {
    if source.is_null() || target.is_null() || source == target.cast_const() {
        return kTfLiteOk;
    }
    // SAFETY: neither is null and they are two tensors, as checked; `# Safety` requires data of `bytes` bytes, and both
    // sizes are equal.
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

/// Changes the size of a dynamic or persistent tensor. With `preserve_data`, the old bytes that fit are kept. Other
/// tensors are not changed.
///
/// # Safety
/// `tensor` must be null or point to a tensor that nothing else uses. If it is dynamic or persistent, its data must be
/// null or come from `malloc`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorResizeMaybeCopy(
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
        // SAFETY: `old` is null or data of a tensor that owns it, which comes from `malloc`, as `# Safety` requires.
        let new = unsafe { arrays::realloc(old, room) };
        if new.is_null() {
            return kTfLiteError;
        }
        if !preserve_data {
            // SAFETY: the data comes from `malloc`, as `# Safety` requires, and `realloc` got null instead of it.
            unsafe { arrays::free(tensor.data) };
        }
        tensor.data = new;
    }
    tensor.bytes = bytes;
    kTfLiteOk
}

/// Changes the size of a dynamic or persistent tensor and keeps the old bytes that fit.
///
/// # Safety
/// `tensor` must be null or point to a tensor that nothing else uses. If it is dynamic or persistent, its data must be
/// null or come from `malloc`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorRealloc(bytes: usize, tensor: *mut TfLiteTensor) -> TfLiteStatus {
    // SAFETY: `# Safety` requires the same of `tensor`.
    unsafe { TfLiteTensorResizeMaybeCopy(bytes, tensor, true) }
}

/// The shape with −1 for dimensions that may change, or the current shape if none may; null for null.
///
/// # Safety
/// `tensor` must be null or point to a tensor whose `dims_signature` is null or an array.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteTensorGetDimsSignature(
    tensor: *const TfLiteTensor,
) -> *const TfLiteIntArray {
    // SAFETY: `tensor` is null or a live value whose `dims_signature` is null or an array, as `# Safety` requires.
    unsafe {
        let Some(tensor) = tensor.as_ref() else { return ptr::null() };
        if arrays::numbers(tensor.dims_signature).is_empty() { tensor.dims } else { tensor.dims_signature }
    }
}
