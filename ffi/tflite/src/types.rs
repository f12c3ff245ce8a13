//! Structs and constants of `c_api_types.h` and `common.h` that describe tensors, in C's layout.

use std::ffi::{c_char, c_int, c_void};

/// The schema's code of custom ops.
pub(crate) const CUSTOM: c_int = 32;

/// `TfLiteStatus`.
pub(crate) type TfLiteStatus = c_int;

mod numbers {
    use super::*;

    pub(crate) const kTfLiteOk: TfLiteStatus = 0;
    pub(crate) const kTfLiteError: TfLiteStatus = 1;
    pub(crate) const kTfLiteDelegateError: TfLiteStatus = 2;
    pub(crate) const kTfLiteUnresolvedOps: TfLiteStatus = 7;
    pub(crate) const kTfLiteCancelled: TfLiteStatus = 8;

    pub(crate) const kTfLiteNoType: TfLiteType = 0;

    pub(crate) const kTfLiteMemNone: TfLiteAllocationType = 0;
    pub(crate) const kTfLiteMmapRo: TfLiteAllocationType = 1;
    pub(crate) const kTfLiteArenaRw: TfLiteAllocationType = 2;
    pub(crate) const kTfLiteArenaRwPersistent: TfLiteAllocationType = 3;
    pub(crate) const kTfLiteDynamic: TfLiteAllocationType = 4;
    pub(crate) const kTfLitePersistentRo: TfLiteAllocationType = 5;
    pub(crate) const kTfLiteCustom: TfLiteAllocationType = 6;
    pub(crate) const kTfLiteNonCpu: TfLiteAllocationType = 8;

    pub(crate) const kTfLiteNoQuantization: c_int = 0;
    pub(crate) const kTfLiteAffineQuantization: c_int = 1;

    pub(crate) const kTfLiteNullBufferHandle: c_int = -1;
    pub(crate) const kTfLiteOptionalTensor: c_int = -1;
}
pub(crate) use numbers::*;

/// `TfLiteType`.
pub(crate) type TfLiteType = c_int;

/// `TfLiteAllocationType`.
pub(crate) type TfLiteAllocationType = c_int;

/// `TfLiteIntArray`: `size` integers follow the header.
#[repr(C)]
pub(crate) struct TfLiteIntArray {
    pub size: c_int,
    pub data: [c_int; 0],
}

/// `TfLiteFloatArray`: `size` floats follow the header.
#[repr(C)]
pub(crate) struct TfLiteFloatArray {
    pub size: c_int,
    pub data: [f32; 0],
}

/// `TfLiteQuantizationParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TfLiteQuantizationParams {
    pub scale: f32,
    pub zero_point: i32,
}

/// `TfLiteQuantization`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TfLiteQuantization {
    pub kind: c_int,
    pub params: *mut c_void,
}

impl TfLiteQuantization {
    pub(crate) const NONE: TfLiteQuantization =
        TfLiteQuantization { kind: kTfLiteNoQuantization, params: std::ptr::null_mut() };
}

/// `TfLiteAffineQuantization`.
#[repr(C)]
pub(crate) struct TfLiteAffineQuantization {
    pub scale: *mut TfLiteFloatArray,
    pub zero_point: *mut TfLiteIntArray,
    pub quantized_dimension: i32,
}

/// `TfLiteTensor`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TfLiteTensor {
    pub kind: TfLiteType,
    /// C declares a union of typed pointers.
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
    /// A tensor without type, shape and memory.
    pub(crate) const EMPTY: TfLiteTensor = TfLiteTensor {
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
pub(crate) struct TfLiteCustomAllocation {
    pub data: *mut c_void,
    pub bytes: usize,
}

impl TfLiteCustomAllocation {
    /// The memory if it holds at least `bytes` bytes, otherwise null.
    pub(crate) fn room_for(&self, bytes: usize) -> *mut c_void {
        if bytes <= self.bytes { self.data } else { std::ptr::null_mut() }
    }
}

/// An error reporter: `(void* user_data, const char* format, va_list)`. Rust cannot call it; `c/report.c` does.
pub(crate) type TfLiteErrorReporter =
    Option<unsafe extern "C" fn(user_data: *mut c_void, format: *const c_char, arguments: *mut c_void)>;
