//! `xnnpack_delegate.h`: a delegate that only passes on its number of threads, because the CPU delegate is on by
//! default.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::delegate::TfLiteDelegate;
use crate::delegate::passive::{self, TfLiteXNNPackDelegateOptions};
use crate::guard::{free, guard};
use crate::kernel::types::TfLiteContext;

/// Flags of `TfLiteXNNPackDelegateOptions` that are set by default: signed and unsigned quantized ops.
const DEFAULT_FLAGS: u32 = 3;

/// The flags of the `TfLiteDelegate`: dynamic tensors are allowed, and each op is profiled.
const DELEGATE_FLAGS: i64 = 1 | 4;

/// The default options.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteXNNPackDelegateOptionsDefault() -> TfLiteXNNPackDelegateOptions {
    TfLiteXNNPackDelegateOptions {
        num_threads: 0,
        flags: DEFAULT_FLAGS,
        weights_cache: ptr::null_mut(),
        handle_variable_ops: false,
        weight_cache_file_path: ptr::null(),
    }
}

/// Creates a delegate. An interpreter with it uses at least `num_threads` threads; the other options have no effect.
/// Null means the default options. Free the delegate with `TfLiteXNNPackDelegateDelete`.
///
/// # Safety
/// `options` must be null or point to options.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteXNNPackDelegateCreate(
    options: *const TfLiteXNNPackDelegateOptions,
) -> *mut TfLiteDelegate {
    guard(ptr::null_mut(), || {
        // SAFETY: `options` is null or points to a live value, as `# Safety` requires.
        let options = unsafe { options.as_ref() }.copied();
        passive::create(options.unwrap_or_else(|| TfLiteXNNPackDelegateOptionsDefault()), DELEGATE_FLAGS)
    })
}

/// The same as [`TfLiteXNNPackDelegateCreate`]: no context has a thread pool of XNNPACK.
///
/// # Safety
/// `options` must be null or point to options.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteXNNPackDelegateCreateWithThreadpool(
    options: *const TfLiteXNNPackDelegateOptions,
    context: *mut TfLiteContext,
) -> *mut TfLiteDelegate {
    let _ = context;
    // SAFETY: `# Safety` requires the same of `options`.
    unsafe { TfLiteXNNPackDelegateCreate(options) }
}

/// Frees a delegate of this library. Does nothing for other delegates and for null.
///
/// # Safety
/// `delegate` must be null or a delegate that is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteXNNPackDelegateDelete(delegate: *mut TfLiteDelegate) {
    // SAFETY: `# Safety` requires the same of `delegate`.
    guard((), || unsafe { passive::delete(delegate) });
}

/// Returns null: the threads belong to the runtime, and XNNPACK has no pool of its own.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteXNNPackDelegateGetThreadPool(delegate: *mut TfLiteDelegate) -> *mut c_void {
    let _ = delegate;
    ptr::null_mut()
}

/// The options of a delegate of [`TfLiteXNNPackDelegateCreate`]; null for null and for other delegates.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteXNNPackDelegateGetOptions(
    delegate: *mut TfLiteDelegate,
) -> *const TfLiteXNNPackDelegateOptions {
    guard(ptr::null(), || passive::options_of(delegate))
}

/// The flags in the options of a delegate of [`TfLiteXNNPackDelegateCreate`]; 0 for null and for other delegates.
///
/// # Safety
/// `delegate` must be null or point to a live delegate.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteXNNPackDelegateGetFlags(delegate: *mut TfLiteDelegate) -> c_int {
    // SAFETY: the options are null or those of a delegate, which is live, as `# Safety` requires.
    let options = unsafe { TfLiteXNNPackDelegateGetOptions(delegate).as_ref() };
    options.map_or(0, |options| options.flags.cast_signed())
}

/// `TfLiteXNNPackDelegateWeightsCache`. Nothing is stored in it: interpreters of one model share packed constants in
/// any case.
pub(crate) struct WeightsCache {
    is_final: AtomicBool,
}

/// Finalizes a cache. Returns false for null and if the cache is final already.
///
/// # Safety
/// `cache` must be null or point to a live cache.
unsafe fn finalize(cache: *const WeightsCache) -> bool {
    // SAFETY: `cache` is null or points to a live value, as `# Safety` requires.
    unsafe { cache.as_ref() }.is_some_and(|cache| !cache.is_final.swap(true, Ordering::Relaxed))
}

/// Creates a cache. Free it with `TfLiteXNNPackDelegateWeightsCacheDelete`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteXNNPackDelegateWeightsCacheCreate() -> *mut WeightsCache {
    guard(ptr::null_mut(), || Box::into_raw(Box::new(WeightsCache { is_final: AtomicBool::new(false) })))
}

/// The same as [`TfLiteXNNPackDelegateWeightsCacheCreate`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteXNNPackDelegateWeightsCacheCreateWithSize(size: usize) -> *mut WeightsCache {
    let _ = size;
    TfLiteXNNPackDelegateWeightsCacheCreate()
}

/// Finalizes a cache. Returns true the first time, and false for null.
///
/// # Safety
/// `cache` must be null or point to a live cache.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteXNNPackDelegateWeightsCacheFinalizeSoft(
    cache: *mut WeightsCache,
) -> bool {
    // SAFETY: `# Safety` requires the same of `cache`.
    unsafe { finalize(cache) }
}

/// The same as [`TfLiteXNNPackDelegateWeightsCacheFinalizeSoft`].
///
/// # Safety
/// `cache` must be null or point to a live cache.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteXNNPackDelegateWeightsCacheFinalizeHard(
    cache: *mut WeightsCache,
) -> bool {
    // SAFETY: `# Safety` requires the same of `cache`.
    unsafe { finalize(cache) }
}

/// Frees a cache. Does nothing for null.
///
/// # Safety
/// `cache` must be null or a cache of this library that is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteXNNPackDelegateWeightsCacheDelete(cache: *mut WeightsCache) {
    // SAFETY: `cache` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(cache) };
}
