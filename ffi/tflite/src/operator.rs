//! `TfLiteOperator`: a custom op as a set of functions with user data.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::guard::{guard, text};
use crate::kernel::types::{TfLiteContext, TfLiteNode};
use crate::types::*;

/// `init` of an op.
pub(crate) type Init = unsafe extern "C" fn(*mut TfLiteContext, *const c_char, usize) -> *mut c_void;
/// `init` of an op, with its user data.
pub(crate) type InitWithData =
    unsafe extern "C" fn(*mut c_void, *mut TfLiteContext, *const c_char, usize) -> *mut c_void;
/// `free` of an op.
pub(crate) type Free = unsafe extern "C" fn(*mut TfLiteContext, *mut c_void);
/// `free` of an op, with its user data.
pub(crate) type FreeWithData = unsafe extern "C" fn(*mut c_void, *mut TfLiteContext, *mut c_void);
/// `prepare` and `invoke` of an op.
pub(crate) type Run = unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteNode) -> TfLiteStatus;
/// `prepare` and `invoke` of an op, with its user data.
pub(crate) type RunWithData =
    unsafe extern "C" fn(*mut c_void, *mut TfLiteContext, *mut TfLiteNode) -> TfLiteStatus;

/// An op that the program registers. Interpreters share it, so that it may be deleted before them.
pub(crate) struct TfLiteOperator {
    pub(crate) builtin_code: c_int,
    pub(crate) custom_name: Option<CString>,
    /// The name as the program passed it, which `TfLiteOperatorGetCustomName` returns.
    given_name: *const c_char,
    pub(crate) version: c_int,
    pub(crate) user_data: *mut c_void,
    functions: Mutex<Functions>,
}

// SAFETY: the user data is only passed to the program's own functions, on the thread that runs the interpreter, and the
// name is only returned to the program.
unsafe impl Send for TfLiteOperator {}
// SAFETY: the functions are behind a lock; all other fields never change, and the pointers are used as described for
// `Send`.
unsafe impl Sync for TfLiteOperator {}

/// The functions of an op. Of each pair, the function that takes user data has precedence.
#[derive(Clone, Copy, Default)]
pub(crate) struct Functions {
    pub init: Option<Init>,
    pub init_with_data: Option<InitWithData>,
    pub free: Option<Free>,
    pub free_with_data: Option<FreeWithData>,
    pub prepare: Option<Run>,
    pub prepare_with_data: Option<RunWithData>,
    pub invoke: Option<Run>,
    pub invoke_with_data: Option<RunWithData>,
}

impl TfLiteOperator {
    pub(crate) fn functions(&self) -> Functions {
        *self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A shared reference to the operator of a handle; `None` for null.
///
/// # Safety
/// `operator` must be null or come from [`TfLiteOperatorCreate`] and not be deleted yet.
pub(crate) unsafe fn shared(operator: *const TfLiteOperator) -> Option<Arc<TfLiteOperator>> {
    if operator.is_null() {
        return None;
    }
    // SAFETY: not null, as checked, so `# Safety` requires a handle, which is an `Arc` from `TfLiteOperatorCreate` and
    // holds one reference.
    unsafe {
        Arc::increment_strong_count(operator);
        Some(Arc::from_raw(operator))
    }
}

/// Changes the functions of an op. Returns `kTfLiteError` for null.
///
/// # Safety
/// `operator` must be null or come from [`TfLiteOperatorCreate`] and not be deleted yet.
unsafe fn set(operator: *mut TfLiteOperator, change: impl FnOnce(&mut Functions)) -> TfLiteStatus {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    let Some(operator) = (unsafe { operator.as_ref() }) else { return kTfLiteError };
    change(&mut operator.functions.lock().unwrap_or_else(PoisonError::into_inner));
    kTfLiteOk
}

/// Creates an op. Free it with `TfLiteOperatorDelete`. `TfLiteOperatorGetCustomName` returns `custom_name` itself;
/// everything else uses a copy.
///
/// TensorFlow Lite 2.17 declares this function without `user_data`. Only functions that the program sets with
/// `WithData` get it, and for those such a program calls [`TfLiteOperatorCreateWithData`].
///
/// # Safety
/// `custom_name` must be null or point to a null-terminated string. The functions that are set later must accept
/// `user_data`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorCreate(
    builtin_code: c_int,
    custom_name: *const c_char,
    version: c_int,
    user_data: *mut c_void,
) -> *mut TfLiteOperator {
    guard(ptr::null_mut(), || {
        // SAFETY: `custom_name` is null or a null-terminated string, as `# Safety` requires.
        let copy = unsafe { text(custom_name) }.map(CString::from);
        let operator = TfLiteOperator {
            builtin_code,
            custom_name: copy,
            given_name: custom_name,
            version,
            user_data,
            functions: Mutex::default(),
        };
        Arc::into_raw(Arc::new(operator)).cast_mut()
    })
}

/// The same as [`TfLiteOperatorCreate`].
///
/// # Safety
/// As for [`TfLiteOperatorCreate`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorCreateWithData(
    builtin_code: c_int,
    custom_name: *const c_char,
    version: c_int,
    user_data: *mut c_void,
) -> *mut TfLiteOperator {
    // SAFETY: `# Safety` requires the same.
    unsafe { TfLiteOperatorCreate(builtin_code, custom_name, version, user_data) }
}

/// Frees an op. Options and interpreters that use it keep it alive.
///
/// # Safety
/// `operator` must be null or come from [`TfLiteOperatorCreate`], and must not be used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorDelete(operator: *mut TfLiteOperator) {
    if !operator.is_null() {
        // SAFETY: not null, as checked, so it is an `Arc` from `TfLiteOperatorCreate`, as `# Safety` requires.
        guard((), || drop(unsafe { Arc::from_raw(operator) }));
    }
}

/// The code of the builtin op that this op implements; −1 for null.
///
/// # Safety
/// `operator` must be null or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorGetBuiltInCode(operator: *const TfLiteOperator) -> c_int {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    unsafe { operator.as_ref() }.map_or(-1, |operator| operator.builtin_code)
}

/// The pointer to the custom op's name that [`TfLiteOperatorCreate`] received; null without one.
///
/// # Safety
/// `operator` must be null or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorGetCustomName(
    operator: *const TfLiteOperator,
) -> *const c_char {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    unsafe { operator.as_ref() }.map_or(ptr::null(), |operator| operator.given_name)
}

/// The op's version; −1 for null.
///
/// # Safety
/// `operator` must be null or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorGetVersion(operator: *const TfLiteOperator) -> c_int {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    unsafe { operator.as_ref() }.map_or(-1, |operator| operator.version)
}

/// The user data that is passed to the op's functions; null for null.
///
/// # Safety
/// `operator` must be null or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorGetUserData(operator: *const TfLiteOperator) -> *mut c_void {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    unsafe { operator.as_ref() }.map_or(ptr::null_mut(), |operator| operator.user_data)
}

macro_rules! setters {
    ($($(#[doc = $doc:literal])* $name:ident($field:ident: $function:ty) $(-> $status:ident)?;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `operator` must be null or point to a live operator. `function` must be null or follow TensorFlow Lite's
        /// rules for kernels.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(
            operator: *mut TfLiteOperator,
            function: Option<$function>,
        ) $(-> $status)? {
            // SAFETY: `operator` is null or a live handle, as `# Safety` requires.
            let _status = unsafe { set(operator, |functions| functions.$field = function) };
            $($status::from(_status))?
        }
    )*};
}
setters! {
    /// Sets the function that is called once per node, with its custom options. What it returns becomes the node's
    /// `user_data`.
    TfLiteOperatorSetInit(init: Init);
    /// Like `TfLiteOperatorSetInit`, for a function that takes the op's user data.
    TfLiteOperatorSetInitWithData(init_with_data: InitWithData) -> TfLiteStatus;
    /// Sets the function that is called once per node, with the result of `init`, when the interpreter is deleted.
    TfLiteOperatorSetFree(free: Free);
    /// Like `TfLiteOperatorSetFree`, for a function that takes the op's user data.
    TfLiteOperatorSetFreeWithData(free_with_data: FreeWithData) -> TfLiteStatus;
    /// Sets the function that is called when the input shapes are known or have changed. It checks the inputs and sets
    /// the shapes of outputs.
    TfLiteOperatorSetPrepare(prepare: Run);
    /// Like `TfLiteOperatorSetPrepare`, for a function that takes the op's user data.
    TfLiteOperatorSetPrepareWithData(prepare_with_data: RunWithData) -> TfLiteStatus;
    /// Sets the function that computes the outputs.
    TfLiteOperatorSetInvoke(invoke: Run);
    /// Like `TfLiteOperatorSetInvoke`, for a function that takes the op's user data.
    TfLiteOperatorSetInvokeWithData(invoke_with_data: RunWithData) -> TfLiteStatus;
}

/// Has no effect: asynchronous kernels are not supported, so the function is never called.
///
/// # Safety
/// `operator` must be null or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorSetAsyncKernel(
    operator: *mut TfLiteOperator,
    function: *const c_void,
) {
    let _ = (operator, function);
}

/// Has no effect: asynchronous kernels are not supported, so the function is never called.
///
/// # Safety
/// `operator` must be null or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorSetAsyncKernelWithData(
    operator: *mut TfLiteOperator,
    function: *const c_void,
) -> TfLiteStatus {
    let _ = function;
    if operator.is_null() { kTfLiteError } else { kTfLiteOk }
}

/// Has no effect: an output of the op never shares memory with an input.
///
/// # Safety
/// `operator` must be null or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOperatorSetInplaceOperator(
    operator: *mut TfLiteOperator,
    permissions: u64,
) {
    let _ = (operator, permissions);
}
