//! Calls a delegate's functions on buffer handles, from its struct or from the builder of an opaque delegate.

use std::ffi::c_int;

use super::types::{TfLiteDelegate, builder_of};
use crate::kernel::types::TfLiteContext;
use crate::types::{TfLiteStatus, TfLiteTensor};

/// Copies the value under a handle to a tensor's data. `None` if the delegate has no function for that.
///
/// # Safety
/// `context` must be the context of a live scene, `delegate` must point to a live delegate, and `tensor` to a tensor
/// whose data is null or has `bytes` bytes.
pub(crate) unsafe fn copy_from(
    context: *mut TfLiteContext,
    delegate: *mut TfLiteDelegate,
    handle: c_int,
    tensor: *mut TfLiteTensor,
) -> Option<TfLiteStatus> {
    // SAFETY: all pointers are live, as `# Safety` requires; the builder's data belongs to its functions.
    unsafe {
        match builder_of(delegate) {
            Some(builder) => {
                let copy = builder.copy_from_buffer_handle?;
                Some(copy(context, delegate, builder.data, handle, tensor))
            }
            None => Some((*delegate).copy_from_buffer_handle?(context, delegate, handle, tensor)),
        }
    }
}

/// Frees a handle, if the delegate has a function for that.
///
/// # Safety
/// `context` must be the context of a live scene, and `delegate` must point to a live delegate.
pub(crate) unsafe fn free(context: *mut TfLiteContext, delegate: *mut TfLiteDelegate, mut handle: c_int) {
    // SAFETY: both pointers are live, as `# Safety` requires; the builder's data belongs to its functions.
    unsafe {
        if let Some(builder) = builder_of(delegate) {
            if let Some(free) = builder.free_buffer_handle {
                free(context, delegate, builder.data, &mut handle);
            }
        } else if let Some(free) = (*delegate).free_buffer_handle {
            free(context, delegate, &mut handle);
        }
    }
}
