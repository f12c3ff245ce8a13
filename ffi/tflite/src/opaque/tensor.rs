//! Tensors, and builders of those that kernels add.

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
        /// The tensor is null or one of this library's; buffers are null or have as many bytes as is said.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $ty),*) -> $result {
            // SAFETY: the caller's promise.
            unsafe { $plain($($argument),*) }
        }
    )*};
}
same! {
    /// As `TfLiteTensorType`.
    TfLiteOpaqueTensorType = TfLiteTensorType(tensor: *const TfLiteTensor) -> TfLiteType;
    /// As `TfLiteTensorNumDims`.
    TfLiteOpaqueTensorNumDims = TfLiteTensorNumDims(tensor: *const TfLiteTensor) -> i32;
    /// As `TfLiteTensorDim`.
    TfLiteOpaqueTensorDim = TfLiteTensorDim(tensor: *const TfLiteTensor, index: i32) -> i32;
    /// As `TfLiteTensorByteSize`.
    TfLiteOpaqueTensorByteSize = TfLiteTensorByteSize(tensor: *const TfLiteTensor) -> usize;
    /// As `TfLiteTensorData`.
    TfLiteOpaqueTensorData = TfLiteTensorData(tensor: *const TfLiteTensor) -> *mut c_void;
    /// As `TfLiteTensorName`.
    TfLiteOpaqueTensorName = TfLiteTensorName(tensor: *const TfLiteTensor) -> *const c_char;
    /// As `TfLiteTensorQuantizationParams`.
    TfLiteOpaqueTensorGetQuantizationParams =
        TfLiteTensorQuantizationParams(tensor: *const TfLiteTensor) -> TfLiteQuantizationParams;
    /// As `TfLiteTensorCopyFromBuffer`.
    TfLiteOpaqueTensorCopyFromBuffer =
        TfLiteTensorCopyFromBuffer(tensor: *mut TfLiteTensor, data: *const c_void, bytes: usize) -> TfLiteStatus;
    /// As `TfLiteTensorCopyToBuffer`.
    TfLiteOpaqueTensorCopyToBuffer =
        TfLiteTensorCopyToBuffer(tensor: *const TfLiteTensor, data: *mut c_void, bytes: usize) -> TfLiteStatus;
    /// How the tensor's memory came to be.
    TfLiteOpaqueTensorGetAllocationStrategy =
        TfLiteTensorGetAllocationStrategy(tensor: *const TfLiteTensor) -> c_int;
    /// How long its address stays.
    TfLiteOpaqueTensorGetBufferAddressStability =
        TfLiteTensorGetBufferAddressStability(tensor: *const TfLiteTensor) -> c_int;
    /// How long its value stays.
    TfLiteOpaqueTensorGetDataStability = TfLiteTensorGetDataStability(tensor: *const TfLiteTensor) -> c_int;
    /// When its value is known.
    TfLiteOpaqueTensorGetDataKnownStep = TfLiteTensorGetDataKnownStep(tensor: *const TfLiteTensor) -> c_int;
    /// When its shape is known.
    TfLiteOpaqueTensorGetShapeKnownStep = TfLiteTensorGetShapeKnownStep(tensor: *const TfLiteTensor) -> c_int;
}

/// By allocation type, from `kTfLiteMemNone` to `kTfLiteNonCpu`: strategy, stability of the address, stability of the value, the step in
/// which the value is known, and that of the shape.
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
        /// `tensor` is null or a tensor of this library.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(tensor: *const TfLiteTensor) -> c_int {
            // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
            let kind = unsafe { tensor.as_ref() }.map_or(-1, |tensor| tensor.allocation_type);
            usize::try_from(kind).ok().and_then(|kind| BY_ALLOCATION.get(kind)).map_or(0, |row| row[$column])
        }
    )*};
}
by_allocation! {
    /// How the tensor's memory came to be; 0: unknown.
    TfLiteTensorGetAllocationStrategy[0];
    /// How long its address stays; 0: unknown.
    TfLiteTensorGetBufferAddressStability[1];
    /// How long its value stays; 0: unknown.
    TfLiteTensorGetDataStability[2];
    /// When its value is known; 0: unknown.
    TfLiteTensorGetDataKnownStep[3];
    /// When its shape is known; 0: unknown.
    TfLiteTensorGetShapeKnownStep[4];
}

/// Number of dimensions of the signature; −1 where the shape is all known.
///
/// # Safety
/// `tensor` is null or a tensor of this library; the result is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorGetNumDimsSignature(
    tensor: *const TfLiteTensor,
    num_dims: *mut i32,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(tensor) = tensor.as_ref().filter(|_| !num_dims.is_null()) else { return kTfLiteError };
        num_dims.write(tensor.dims_signature.as_ref().map_or(-1, |dims| dims.size));
    }
    kTfLiteOk
}

/// A dimension of the signature, or of the shape where all is known.
///
/// # Safety
/// `tensor` is null or a tensor of this library; the result is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorGetDimSignature(
    tensor: *const TfLiteTensor,
    dim_index: i32,
    dim_length: *mut i32,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let dims = numbers(TfLiteTensorGetDimsSignature(tensor));
        let dim = usize::try_from(dim_index).ok().and_then(|index| dims.get(index));
        let Some(&dim) = dim.filter(|_| !dim_length.is_null()) else { return kTfLiteError };
        dim_length.write(dim);
    }
    kTfLiteOk
}

/// Whether the tensor keeps its value from one invocation to the next.
///
/// # Safety
/// `tensor` is null or a tensor of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorIsVariable(tensor: *const TfLiteTensor) -> c_int {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    c_int::from(unsafe { tensor.as_ref() }.is_some_and(|tensor| tensor.is_variable))
}

/// Whose memory the tensor lies in.
///
/// # Safety
/// `tensor` is null or a tensor of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorGetAllocationType(
    tensor: *const TfLiteTensor,
) -> TfLiteAllocationType {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(kTfLiteMemNone, |tensor| tensor.allocation_type)
}

/// Scales and zero points, which stay the tensor's.
///
/// # Safety
/// `tensor` is null or a tensor of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorGetQuantization(
    tensor: *const TfLiteTensor,
) -> TfLiteQuantization {
    // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
    unsafe { tensor.as_ref() }.map_or(TfLiteQuantization::NONE, |tensor| tensor.quantization)
}

/// Number of strings; −1 where the bytes are none.
///
/// # Safety
/// `tensor` is null or a tensor of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorGetStringCount(tensor: *const TfLiteTensor) -> c_int {
    guard(-1, || {
        // SAFETY: `tensor` is null or points to a live value, as `# Safety` requires.
        let packed = unsafe { tensor.as_ref().map_or(&[][..], |tensor| bytes(tensor)) };
        arenite::strings::unpack(packed).map_or(-1, |strings| strings.len() as c_int)
    })
}

/// A string of a tensor; its bytes stay the tensor's.
///
/// # Safety
/// `tensor` is null or a tensor of this library; the results are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorGetString(
    tensor: *const TfLiteTensor,
    index: c_int,
    text: *mut *const c_char,
    length: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the caller's promise.
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

/// Makes strings the value of a dynamic tensor, and their number its shape.
///
/// # Safety
/// `tensor` is null or a tensor of this library; there are `count` strings and lengths, each string with as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorWriteStrings(
    tensor: *mut TfLiteTensor,
    texts: *const *const c_char,
    count: c_int,
    lengths: *const c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the caller's promise.
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

/// As [`TfLiteOpaqueTensorWriteStrings`], of one string.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorWriteString(
    tensor: *mut TfLiteTensor,
    text: *const c_char,
    length: c_int,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe { TfLiteOpaqueTensorWriteStrings(tensor, &text, 1, &length) }
}

/// From here on `invoke` gives the tensor shape and memory.
///
/// # Safety
/// `tensor` is null or a tensor that a kernel was given, in its call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorSetAllocationTypeToDynamic(tensor: *mut TfLiteTensor) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(tensor) = tensor.as_mut().filter(|tensor| tensor.allocation_type != kTfLiteDynamic) else {
            return;
        };
        TfLiteTensorDataFree(tensor);
        tensor.allocation_type = kTfLiteDynamic;
    }
}

/// Says that the tensor's data is not in memory of the host.
///
/// # Safety
/// As [`TfLiteOpaqueTensorSetAllocationTypeToDynamic`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorSetNonCpuAllocation(tensor: *mut TfLiteTensor) {
    // SAFETY: `tensor` is null or points to a live value that nothing else uses, as `# Safety` requires.
    if let Some(tensor) = unsafe { tensor.as_mut() } {
        tensor.allocation_type = kTfLiteNonCpu;
    }
}

/// What a tensor to be added is like.
pub struct TfLiteOpaqueTensorBuilder {
    pub(super) tensor: TfLiteTensor,
}

/// A new builder.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteOpaqueTensorBuilderCreate() -> *mut TfLiteOpaqueTensorBuilder {
    guard(ptr::null_mut(), || {
        Box::into_raw(Box::new(TfLiteOpaqueTensorBuilder { tensor: TfLiteTensor::EMPTY }))
    })
}

/// Frees a builder.
///
/// # Safety
/// `builder` is null or a builder that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueTensorBuilderDelete(builder: *mut TfLiteOpaqueTensorBuilder) {
    // SAFETY: `builder` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(builder) };
}

macro_rules! builders {
    ($($(#[doc = $doc:literal])* $name:ident($field:ident: $ty:ty);)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `builder` is null or a builder; what is set fits the tensor.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
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
    /// Sets the type.
    TfLiteOpaqueTensorBuilderSetType(kind: TfLiteType);
    /// Sets the data, which comes from `malloc` and is handed over with a dynamic tensor.
    TfLiteOpaqueTensorBuilderSetData(data: *mut c_void);
    /// Sets whose memory it lies in.
    TfLiteOpaqueTensorBuilderSetAllocationType(allocation_type: TfLiteAllocationType);
    /// Sets scale and zero point.
    TfLiteOpaqueTensorBuilderSetQuantizationParams(params: TfLiteQuantizationParams);
    /// Sets scales and zero points, which come from `malloc` and are handed over.
    TfLiteOpaqueTensorBuilderSetQuantization(quantization: TfLiteQuantization);
}
