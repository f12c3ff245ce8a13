//! Delegates of TensorFlow Lite's own library, XNNPACK and NNAPI. They claim no nodes: the CPU delegate, which is on by
//! default, does XNNPACK's work, and NNAPI exists on Android only.

use std::collections::BTreeSet;
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::types::TfLiteDelegate;
use crate::kernel::types::TfLiteContext;
use crate::types::*;

/// `TfLiteXNNPackDelegateOptions` of TensorFlow Lite 2.17.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct TfLiteXNNPackDelegateOptions {
    pub num_threads: i32,
    pub flags: u32,
    pub weights_cache: *mut c_void,
    pub handle_variable_ops: bool,
    pub weight_cache_file_path: *const c_char,
}

/// A delegate that claims nothing. Its handle points to `delegate`.
#[repr(C)]
struct Passive {
    delegate: TfLiteDelegate,
    /// `TfLiteDelegate`'s last field, which older versions of TensorFlow Lite lack.
    builder: *mut c_void,
    options: TfLiteXNNPackDelegateOptions,
}

/// The addresses of all existing handles.
static CREATED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

fn created() -> MutexGuard<'static, BTreeSet<usize>> {
    CREATED.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn claim_nothing(_: *mut TfLiteContext, _: *mut TfLiteDelegate) -> TfLiteStatus {
    kTfLiteOk
}

/// Creates a delegate. Free it with [`delete`].
pub(crate) fn create(options: TfLiteXNNPackDelegateOptions, flags: i64) -> *mut TfLiteDelegate {
    let delegate =
        TfLiteDelegate { prepare: Some(claim_nothing), flags, ..super::types::TfLiteDelegateCreate() };
    let made = Box::into_raw(Box::new(Passive { delegate, builder: ptr::null_mut(), options }));
    created().insert(made.addr());
    made.cast()
}

/// The options of a delegate of this module; null for any other delegate.
pub(crate) fn options_of(delegate: *const TfLiteDelegate) -> *const TfLiteXNNPackDelegateOptions {
    if !created().contains(&delegate.addr()) {
        return ptr::null();
    }
    // SAFETY: `create` allocated it, since it is in `CREATED`, and `delete` removes it there before it is freed.
    unsafe { &raw const (*delegate.cast::<Passive>()).options }
}

/// Frees a delegate of this module. Does nothing for other delegates and for null.
///
/// # Safety
/// The delegate must not be used afterwards.
pub(crate) unsafe fn delete(delegate: *mut TfLiteDelegate) {
    if created().remove(&delegate.addr()) {
        // SAFETY: `create` allocated it, since it was in `CREATED`; removing it there ensures that it is freed once.
        drop(unsafe { Box::from_raw(delegate.cast::<Passive>()) });
    }
}
