//! `nnapi_delegate_c_api.h`: a delegate that claims no nodes, as TensorFlow Lite's does where NNAPI is missing.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use crate::delegate::{TfLiteDelegate, passive};
use crate::guard::guard;
use crate::xnnpack::TfLiteXNNPackDelegateOptionsDefault;

/// `TfLiteNnapiDelegateOptions`.
#[repr(C)]
pub(crate) struct TfLiteNnapiDelegateOptions {
    execution_preference: c_int,
    accelerator_name: *const c_char,
    cache_dir: *const c_char,
    model_token: *const c_char,
    disallow_nnapi_cpu: c_int,
    allow_fp16: c_int,
    max_number_delegated_partitions: c_int,
    nnapi_support_library_handle: *mut c_void,
}

/// The default options: no preference, no CPU device of NNAPI, at most three partitions.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteNnapiDelegateOptionsDefault() -> TfLiteNnapiDelegateOptions {
    TfLiteNnapiDelegateOptions {
        execution_preference: -1,
        accelerator_name: ptr::null(),
        cache_dir: ptr::null(),
        model_token: ptr::null(),
        disallow_nnapi_cpu: 1,
        allow_fp16: 0,
        max_number_delegated_partitions: 3,
        nnapi_support_library_handle: ptr::null_mut(),
    }
}

/// Creates a delegate that claims no nodes. Free it with `TfLiteNnapiDelegateDelete`.
///
/// # Safety
/// `options` must be null or point to options.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteNnapiDelegateCreate(
    options: *const TfLiteNnapiDelegateOptions,
) -> *mut TfLiteDelegate {
    let _ = options;
    guard(ptr::null_mut(), || passive::create(TfLiteXNNPackDelegateOptionsDefault(), 0))
}

/// Frees a delegate of this library. Does nothing for other delegates and for null.
///
/// # Safety
/// `delegate` must be null or a delegate that is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteNnapiDelegateDelete(delegate: *mut TfLiteDelegate) {
    // SAFETY: `# Safety` requires the same of `delegate`.
    guard((), || unsafe { passive::delete(delegate) });
}
