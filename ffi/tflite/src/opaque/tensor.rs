//! Functions of `c_api_opaque.h` on tensors, and builders of tensors that kernels add.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use crate::arrays::numbers;
use crate::common::{TfLiteTensorDataFree, TfLiteTensorGetDimsSignature, TfLiteTensorRealloc, owns_data};
use crate::describe::set_shape;
use crate::guard::{free, guard, list};
use crate::table::bytes;
use crate::tensor::*;
use crate::types::*;

macro_rules! same {
    ($($(#[doc = $doc:literal])* $name:ident = $plain:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `tensor` must be null or point to a live tensor of this library. `data`, if the function has it, must be
        /// null or have `bytes` bytes, and must be writable if the function writes it.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $ty),*) -> $result {
            // SAFETY: `# Safety` requires the same of `tensor` and `data`.
            unsafe { $plain($($argument),*) }
        }
    )*};
}
same! {
    /// The element type, see `TfLiteTensorType`.
    TfLiteOpaqueTensorType = TfLiteTensorType(tensor: *const TfLiteTensor) -> TfLiteType;
    /// The number of dimensions, see `TfLiteTensorNumDims`.
    TfLiteOpaqueTensorNumDims = TfLiteTensorNumDims(tensor: *const TfLiteTensor) -> i32;
    /// The size of a dimension, see `TfLiteTensorDim`.
    TfLiteOpaqueTensorDim = TfLiteTensorDim(tensor: *const TfLiteTensor, index: i32) -> i32;
    /// The size of the data in bytes, see `TfLiteTensorByteSize`.
    TfLiteOpaqueTensorByteSize = TfLiteTensorByteSize(tensor: *const TfLiteTensor) -> usize;
    /// The address of the data, see `TfLiteTensorData`.
    TfLiteOpaqueTensorData = TfLiteTensorData(tensor: *const TfLiteTensor) -> *mut c_void;
    /// The tensor's name, see `TfLiteTensorName`.
    TfLiteOpaqueTensorName = TfLiteTensorName(tensor: *const TfLiteTensor) -> *const c_char;
    /// Scale and zero point, see `TfLiteTensorQuantizationParams`.
    TfLiteOpaqueTensorGetQuantizationParams =
        TfLiteTensorQuantizationParams(tensor: *const TfLiteTensor) -> TfLiteQuantizationParams;
    /// Copies data into the tensor, see `TfLiteTensorCopyFromBuffer`.
    TfLiteOpaqueTensorCopyFromBuffer =
        TfLiteTensorCopyFromBuffer(tensor: *mut TfLiteTensor, data: *const c_void, bytes: usize) -> TfLiteStatus;
    /// Copies data out of the tensor, see `TfLiteTensorCopyToBuffer`.
    TfLiteOpaqueTensorCopyToBuffer =
        TfLiteTensorCopyToBuffer(tensor: *const TfLiteTensor, data: *mut c_void, bytes: usize) -> TfLiteStatus;
    /// How the tensor's memory is allocated, see `TfLiteTensorGetAllocationStrategy`.
    TfLiteOpaqueTensorGetAllocationStrategy =
        TfLiteTensorGetAllocationStrategy(tensor: *const TfLiteTensor) -> c_int;
    /// How long the data's address is valid, see `TfLiteTensorGetBufferAddressStability`.
    TfLiteOpaqueTensorGetBufferAddressStability =
        TfLiteTensorGetBufferAddressStability(tensor: *const TfLiteTensor) -> c_int;
    /// How long the values are valid, see `TfLiteTensorGetDataStability`.
    TfLiteOpaqueTensorGetDataStability = TfLiteTensorGetDataStability(tensor: *const TfLiteTensor) -> c_int;
    /// The step in which the values become known, see `TfLiteTensorGetDataKnownStep`.
    TfLiteOpaqueTensorGetDataKnownStep = TfLiteTensorGetDataKnownStep(tensor: *const TfLiteTensor) -> c_int;
    /// The step in which the shape becomes known, see `TfLiteTensorGetShapeKnownStep`.
    TfLiteOpaqueTensorGetShapeKnownStep = TfLiteTensorGetShapeKnownStep(tensor: *const TfLiteTensor) -> c_int;
}

/// One row per allocation type, from `kTfLiteMemNone` to `kTfLiteNonCpu`: allocation strategy, stability of the
/// address, stability of the values, the step in which the values become known, and the step in which the shape does.
const BY_ALLOCATION: [[c_int; 5]; 9] = [
    [1, 3, 3, 1, 1],
    [2, 3, 3, 1, 1],
    [3, 1, 2, 3, 2],
    [3, 1, 3, 3, 2],
    [4, 2, 2, 3, 3],
    [4, 2, 2, 2, 2],
    [0, 0, 0, 0, 0],
    [5, 3, 2, 3, 3],
    [0, 0, 0, 0, 0],
];

macro_rules! by_allocation {
    ($($(#[doc = $doc:literal])* $name:ident[$column:literal];)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `tensor` must be null or point to a live tensor of this library.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(tensor: *const TfLiteTensor) -> c_int {
            // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
            let kind = unsafe { tensor.as_ref() }.map_or(-1, |tensor| tensor.allocation_type);
            usize::try_from(kind).ok().and_then(|kind| BY_ALLOCATION.get(kind)).map_or(0, |row| row[$column])
        }
    )*};
}
by_allocation! {
    /// How the tensor's memory is allocated; 0 if unknown.
    TfLiteTensorGetAllocationStrategy[0];
    /// How long the data's address is valid; 0 if unknown.
    TfLiteTensorGetBufferAddressStability[1];
    /// How long the values are valid; 0 if unknown.
    TfLiteTensorGetDataStability[2];
    /// The step in which the values become known; 0 if unknown.
    TfLiteTensorGetDataKnownStep[3];
    /// The step in which the shape becomes known; 0 if unknown.
    TfLiteTensorGetShapeKnownStep[4];
}

/// Writes the number of dimensions of the shape signature; −1 if the shape is fixed.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library. `num_dims` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorGetNumDimsSignature(
    tensor: *const TfLiteTensor,
    num_dims: *mut i32,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or live and `num_dims` is writable if it is not null, as `# Safety` requires.
    unsafe {
        let Some(tensor) = tensor.as_ref().filter(|_| !num_dims.is_null()) else { return kTfLiteError };
        num_dims.write(tensor.dims_signature.as_ref().map_or(-1, |dims| dims.size));
    }
    kTfLiteOk
}

/// Writes dimension `dim_index` of the shape signature. If the shape is fixed, writes a dimension of the shape.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library. `dim_length` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorGetDimSignature(
    tensor: *const TfLiteTensor,
    dim_index: i32,
    dim_length: *mut i32,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or live and `dim_length` is writable if it is not null, as `# Safety` requires.
    unsafe {
        let dims = numbers(TfLiteTensorGetDimsSignature(tensor));
        let dim = usize::try_from(dim_index).ok().and_then(|index| dims.get(index));
        let Some(&dim) = dim.filter(|_| !dim_length.is_null()) else { return kTfLiteError };
        dim_length.write(dim);
    }
    kTfLiteOk
}

/// Returns 1 if the tensor keeps its value from one invocation to the next, else 0.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorIsVariable(tensor: *const TfLiteTensor) -> c_int {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    c_int::from(unsafe { tensor.as_ref() }.is_some_and(|tensor| tensor.is_variable))
}

/// The allocation type, which says who owns the tensor's memory; `kTfLiteMemNone` for null.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorGetAllocationType(
    tensor: *const TfLiteTensor,
) -> TfLiteAllocationType {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(kTfLiteMemNone, |tensor| tensor.allocation_type)
}

/// The scales and zero points. The tensor still owns them.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorGetQuantization(
    tensor: *const TfLiteTensor,
) -> TfLiteQuantization {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(TfLiteQuantization::NONE, |tensor| tensor.quantization)
}

/// The number of strings; −1 if the data is not packed strings.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorGetStringCount(tensor: *const TfLiteTensor) -> c_int {
    guard(-1, || {
        // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
        let packed = unsafe { tensor.as_ref().map_or(&[][..], |tensor| bytes(tensor)) };
        arenite::strings::unpack(packed).map_or(-1, |strings| strings.len() as c_int)
    })
}

/// Writes the address and length of a string. The tensor still owns the bytes.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library. `text` and `length` must be null or writable.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorGetString(
    tensor: *const TfLiteTensor,
    index: c_int,
    text: *mut *const c_char,
    length: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `tensor` is null or live and the results are writable where they are not null, as `# Safety`
        // requires.
        unsafe {
            let packed = tensor.as_ref().map_or(&[][..], |tensor| bytes(tensor));
            let strings = arenite::strings::unpack(packed).unwrap_or_default();
            let string = usize::try_from(index).ok().and_then(|index| strings.get(index));
            let Some(string) = string.filter(|_| !text.is_null() && !length.is_null()) else {
                return kTfLiteError;
            };
            text.write(string.as_ptr().cast());
            length.write(string.len() as c_int);
        }
        kTfLiteOk
    })
}

/// Stores strings in a dynamic tensor, whose shape becomes `[count]`.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library that nothing else uses. `texts` and `lengths` must
/// be null or have `count` elements; each text must be null or have as many bytes as its length says.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorWriteStrings(
    tensor: *mut TfLiteTensor,
    texts: *const *const c_char,
    count: c_int,
    lengths: *const c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `tensor`, lists and texts are null or valid, as `# Safety` requires; `list` checks for null.
        // `TfLiteTensorRealloc` provides `packed.len()` bytes.
        unsafe {
            let Some(tensor) = tensor.as_mut().filter(|tensor| owns_data(tensor)) else {
                return kTfLiteError;
            };
            let (Some(texts), Some(lengths)) = (list(texts, count), list(lengths, count)) else {
                return kTfLiteError;
            };
            let strings = texts.iter().zip(lengths).map(|(&text, &length)| list(text.cast::<u8>(), length));
            let Some(strings) = strings.collect::<Option<Vec<&[u8]>>>() else { return kTfLiteError };
            let Some(packed) = arenite::strings::pack(&strings) else { return kTfLiteError };
            if TfLiteTensorRealloc(packed.len(), tensor) != kTfLiteOk {
                return kTfLiteError;
            }
            tensor.data.cast::<u8>().copy_from_nonoverlapping(packed.as_ptr(), packed.len());
            set_shape(tensor, &[count]);
        }
        kTfLiteOk
    })
}

/// Stores one string in a dynamic tensor, whose shape becomes `[1]`.
///
/// # Safety
/// `tensor` must be null or point to a live tensor of this library that nothing else uses. `text` must be null or have
/// `length` bytes.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorWriteString(
    tensor: *mut TfLiteTensor,
    text: *const c_char,
    length: c_int,
) -> TfLiteStatus {
    // SAFETY: `tensor` is null or live and `text` is null or has `length` bytes, as `# Safety` requires; both lists
    // have one element.
    unsafe { TfLiteOpaqueTensorWriteStrings(tensor, &text, 1, &length) }
}

/// Makes a tensor dynamic: its shape and memory are set in `invoke`.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a context that this library passed to a kernel whose call has not
/// returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorSetAllocationTypeToDynamic(tensor: *mut TfLiteTensor) {
    // SAFETY: `tensor` is null or belongs to the running kernel's scene, as `# Safety` requires, so the data that it
    // owns comes from `malloc`.
    unsafe {
        let Some(tensor) = tensor.as_mut().filter(|tensor| tensor.allocation_type != kTfLiteDynamic) else {
            return;
        };
        TfLiteTensorDataFree(tensor);
        tensor.allocation_type = kTfLiteDynamic;
    }
}

/// Marks the tensor's data as not being in host memory.
///
/// # Safety
/// `tensor` must be null or point to a tensor of a context that this library passed to a kernel whose call has not
/// returned.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorSetNonCpuAllocation(tensor: *mut TfLiteTensor) {
    // SAFETY: `tensor` is null or points to a live value that nothing else uses, as `# Safety` requires.
    if let Some(tensor) = unsafe { tensor.as_mut() } {
        tensor.allocation_type = kTfLiteNonCpu;
    }
}

/// Describes a tensor that a kernel will add.
pub(super) struct TfLiteOpaqueTensorBuilder {
    pub(super) tensor: TfLiteTensor,
}

/// Creates a builder. Free it with `TfLiteOpaqueTensorBuilderDelete`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn TfLiteOpaqueTensorBuilderCreate() -> *mut TfLiteOpaqueTensorBuilder {
    guard(ptr::null_mut(), || {
        Box::into_raw(Box::new(TfLiteOpaqueTensorBuilder { tensor: TfLiteTensor::EMPTY }))
    })
}

/// Frees a builder. Does nothing for null.
///
/// # Safety
/// `builder` must be null or a builder of this library that is not used afterwards.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueTensorBuilderDelete(builder: *mut TfLiteOpaqueTensorBuilder) {
    // SAFETY: `builder` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(builder) };
}

macro_rules! builders {
    ($($(#[doc = $doc:literal])* $name:ident($field:ident: $ty:ty);)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `builder` must be null or point to a live builder that nothing else uses. `value` must be valid for the
        /// tensor that is added.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(
            builder: *mut TfLiteOpaqueTensorBuilder,
            value: $ty,
        ) -> *mut TfLiteOpaqueTensorBuilder {
            // SAFETY: `builder` is null or points to a live value that nothing else uses, as `# Safety` requires.
            if let Some(builder) = unsafe { builder.as_mut() } {
                builder.tensor.$field = value;
            }
            builder
        }
    )*};
}
builders! {
    /// Sets the element type.
    TfLiteOpaqueTensorBuilderSetType(kind: TfLiteType);
    /// Sets the data. It must come from `malloc`; a dynamic tensor takes ownership of it.
    TfLiteOpaqueTensorBuilderSetData(data: *mut c_void);
    /// Sets the allocation type, which says who owns the tensor's memory.
    TfLiteOpaqueTensorBuilderSetAllocationType(allocation_type: TfLiteAllocationType);
    /// Sets a scale and a zero point for the whole tensor.
    TfLiteOpaqueTensorBuilderSetQuantizationParams(params: TfLiteQuantizationParams);
    /// Sets scales and zero points. They must come from `malloc`; the tensor takes ownership of them.
    TfLiteOpaqueTensorBuilderSetQuantization(quantization: TfLiteQuantization);
}
