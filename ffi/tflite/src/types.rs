//! The structs and numbers of `c_api_types.h` and `common.h` that describe tensors, as C sees them.

use std::ffi::{c_char, c_int, c_void};

/// `TfLiteStatus`.
pub type TfLiteStatus = c_int;

mod numbers {
    use super::*;

    pub const kTfLiteOk: TfLiteStatus = 0;
    pub const kTfLiteError: TfLiteStatus = 1;
    pub const kTfLiteDelegateError: TfLiteStatus = 2;
    pub const kTfLiteApplicationError: TfLiteStatus = 3;
    pub const kTfLiteUnresolvedOps: TfLiteStatus = 7;
    pub const kTfLiteCancelled: TfLiteStatus = 8;

    pub const kTfLiteNoType: TfLiteType = 0;

    pub const kTfLiteMemNone: TfLiteAllocationType = 0;
    pub const kTfLiteMmapRo: TfLiteAllocationType = 1;
    pub const kTfLiteArenaRw: TfLiteAllocationType = 2;
    pub const kTfLiteArenaRwPersistent: TfLiteAllocationType = 3;
    pub const kTfLiteDynamic: TfLiteAllocationType = 4;
    pub const kTfLitePersistentRo: TfLiteAllocationType = 5;
    pub const kTfLiteCustom: TfLiteAllocationType = 6;
    pub const kTfLiteNonCpu: TfLiteAllocationType = 8;

    pub const kTfLiteNoQuantization: c_int = 0;
    pub const kTfLiteAffineQuantization: c_int = 1;

    pub const kTfLiteNullBufferHandle: c_int = -1;
    pub const kTfLiteOptionalTensor: c_int = -1;
}
pub use numbers::*;

/// `TfLiteType`.
pub type TfLiteType = c_int;

/// `TfLiteAllocationType`.
pub type TfLiteAllocationType = c_int;

/// `TfLiteIntArray`: `size` integers follow.
#[repr(C)]
pub struct TfLiteIntArray {
    pub size: c_int,
    pub data: [c_int; 0],
}

/// `TfLiteFloatArray`: `size` numbers follow.
#[repr(C)]
pub struct TfLiteFloatArray {
    pub size: c_int,
    pub data: [f32; 0],
}

/// `TfLiteQuantizationParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TfLiteQuantizationParams {
    pub scale: f32,
    pub zero_point: i32,
}

/// `TfLiteQuantization`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TfLiteQuantization {
    pub kind: c_int,
    pub params: *mut c_void,
}

impl TfLiteQuantization {
    pub const NONE: TfLiteQuantization =
        TfLiteQuantization { kind: kTfLiteNoQuantization, params: std::ptr::null_mut() };
}

/// `TfLiteAffineQuantization`.
#[repr(C)]
pub struct TfLiteAffineQuantization {
    pub scale: *mut TfLiteFloatArray,
    pub zero_point: *mut TfLiteIntArray,
    pub quantized_dimension: i32,
}

/// `TfLiteTensor`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TfLiteTensor {
    pub kind: TfLiteType,
    /// The union of pointers to each type.
    pub data: *mut c_void,
    pub dims: *mut TfLiteIntArray,
    pub params: TfLiteQuantizationParams,
    pub allocation_type: TfLiteAllocationType,
    pub bytes: usize,
    pub allocation: *const c_void,
    pub name: *const c_char,
    pub delegate: *mut c_void,
    pub buffer_handle: c_int,
    pub data_is_stale: bool,
    pub is_variable: bool,
    pub quantization: TfLiteQuantization,
    pub sparsity: *mut c_void,
    pub dims_signature: *const TfLiteIntArray,
}

impl TfLiteTensor {
    /// A tensor of no type, without memory.
    pub const EMPTY: TfLiteTensor = TfLiteTensor {
        kind: kTfLiteNoType,
        data: std::ptr::null_mut(),
        dims: std::ptr::null_mut(),
        params: TfLiteQuantizationParams { scale: 0.0, zero_point: 0 },
        allocation_type: kTfLiteMemNone,
        bytes: 0,
        allocation: std::ptr::null(),
        name: std::ptr::null(),
        delegate: std::ptr::null_mut(),
        buffer_handle: kTfLiteNullBufferHandle,
        data_is_stale: false,
        is_variable: false,
        quantization: TfLiteQuantization::NONE,
        sparsity: std::ptr::null_mut(),
        dims_signature: std::ptr::null(),
    };
}

/// `TfLiteCustomAllocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TfLiteCustomAllocation {
    pub data: *mut c_void,
    pub bytes: usize,
}

impl TfLiteCustomAllocation {
    /// The memory, if it has so many bytes; else null: nothing can be copied there.
    pub fn room_for(&self, bytes: usize) -> *mut c_void {
        if bytes <= self.bytes { self.data } else { std::ptr::null_mut() }
    }
}

/// A function that tells errors: `(void* user_data, const char* format, va_list)`. Only C calls it.
pub type TfLiteErrorReporter =
    Option<unsafe extern "C" fn(user_data: *mut c_void, format: *const c_char, arguments: *mut c_void)>;
