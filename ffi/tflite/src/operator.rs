//! `TfLiteOperator`: a custom op as a set of functions, and what they are given.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::guard::{guard, text};
use crate::kernel::types::{TfLiteContext, TfLiteNode};
use crate::types::*;

/// `init` of an op.
pub type Init = unsafe extern "C" fn(*mut TfLiteContext, *const c_char, usize) -> *mut c_void;
/// `init` of an op, with its user data.
pub type InitWithData =
    unsafe extern "C" fn(*mut c_void, *mut TfLiteContext, *const c_char, usize) -> *mut c_void;
/// `free` of an op.
pub type Free = unsafe extern "C" fn(*mut TfLiteContext, *mut c_void);
/// `free` of an op, with its user data.
pub type FreeWithData = unsafe extern "C" fn(*mut c_void, *mut TfLiteContext, *mut c_void);
/// `prepare` and `invoke` of an op.
pub type Run = unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteNode) -> TfLiteStatus;
/// `prepare` and `invoke` of an op, with its user data.
pub type RunWithData = unsafe extern "C" fn(*mut c_void, *mut TfLiteContext, *mut TfLiteNode) -> TfLiteStatus;

/// An op of the program's own. Interpreters keep what it says when they are made, so that it may be deleted before them.
pub struct TfLiteOperator {
    pub(crate) builtin_code: c_int,
    pub(crate) custom_name: Option<CString>,
    pub(crate) version: c_int,
    pub(crate) user_data: *mut c_void,
    functions: Mutex<Functions>,
}

// SAFETY: the pointer is only handed to the program's own functions, on the thread that runs the interpreter.
unsafe impl Send for TfLiteOperator {}
// SAFETY: as above; what changes is behind a lock.
unsafe impl Sync for TfLiteOperator {}

/// The functions of an op. One that takes user data comes before one that does not.
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
    pub fn functions(&self) -> Functions {
        *self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The operator behind a handle, shared.
///
/// # Safety
/// `operator` is null or comes from [`TfLiteOperatorCreate`] and was not deleted.
pub(crate) unsafe fn shared(operator: *const TfLiteOperator) -> Option<Arc<TfLiteOperator>> {
    if operator.is_null() {
        return None;
    }
    // SAFETY: the pointer is that of an `Arc` which its handle holds, by the caller's promise.
    unsafe {
        Arc::increment_strong_count(operator);
        Some(Arc::from_raw(operator))
    }
}

/// # Safety
/// As [`shared`].
unsafe fn set(operator: *mut TfLiteOperator, change: impl FnOnce(&mut Functions)) -> TfLiteStatus {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    let Some(operator) = (unsafe { operator.as_ref() }) else { return kTfLiteError };
    change(&mut operator.functions.lock().unwrap_or_else(PoisonError::into_inner));
    kTfLiteOk
}

/// A new op; the name is copied.
///
/// # Safety
/// `custom_name` is null or ends with a null byte. `user_data` fits the functions that are set later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorCreate(
    builtin_code: c_int,
    custom_name: *const c_char,
    version: c_int,
    user_data: *mut c_void,
) -> *mut TfLiteOperator {
    guard(ptr::null_mut(), || {
        // SAFETY: `custom_name` is null or a string that ends with a null byte, as `# Safety` requires.
        let custom_name = unsafe { text(custom_name) }.map(CString::from);
        let functions = Mutex::default();
        let operator = TfLiteOperator { builtin_code, custom_name, version, user_data, functions };
        Arc::into_raw(Arc::new(operator)).cast_mut()
    })
}

/// Frees an op. Options and interpreters that have it keep it.
///
/// # Safety
/// `operator` is null or an operator that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorDelete(operator: *mut TfLiteOperator) {
    if !operator.is_null() {
        // SAFETY: the caller's promise.
        guard((), || drop(unsafe { Arc::from_raw(operator) }));
    }
}

/// Number of the builtin op; −1 for null.
///
/// # Safety
/// `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorGetBuiltInCode(operator: *const TfLiteOperator) -> c_int {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    unsafe { operator.as_ref() }.map_or(-1, |operator| operator.builtin_code)
}

/// The custom op's name; null where it has none.
///
/// # Safety
/// `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorGetCustomName(operator: *const TfLiteOperator) -> *const c_char {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    let name = unsafe { operator.as_ref() }.and_then(|operator| operator.custom_name.as_ref());
    name.map_or(ptr::null(), |name| name.as_ptr())
}

/// The op's version; −1 for null.
///
/// # Safety
/// `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorGetVersion(operator: *const TfLiteOperator) -> c_int {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    unsafe { operator.as_ref() }.map_or(-1, |operator| operator.version)
}

/// What the functions that take user data get.
///
/// # Safety
/// `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorGetUserData(operator: *const TfLiteOperator) -> *mut c_void {
    // SAFETY: `operator` is null or points to a live value, as `# Safety` requires.
    unsafe { operator.as_ref() }.map_or(ptr::null_mut(), |operator| operator.user_data)
}

macro_rules! setters {
    ($($(#[doc = $doc:literal])* $name:ident($field:ident: $function:ty) $(-> $status:ident)?;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `operator` is null or an operator; the function keeps the interface's rules.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            operator: *mut TfLiteOperator,
            function: Option<$function>,
        ) $(-> $status)? {
            // SAFETY: the caller's promise.
            let _status = unsafe { set(operator, |functions| functions.$field = function) };
            $($status::from(_status))?
        }
    )*};
}
setters! {
    /// Called once for each node, with its custom options; what it returns is the node's.
    TfLiteOperatorSetInit(init: Init);
    /// As `TfLiteOperatorSetInit`, with user data.
    TfLiteOperatorSetInitWithData(init_with_data: InitWithData) -> TfLiteStatus;
    /// Called once for each node, when the interpreter is deleted, with what `init` returned.
    TfLiteOperatorSetFree(free: Free);
    /// As `TfLiteOperatorSetFree`, with user data.
    TfLiteOperatorSetFreeWithData(free_with_data: FreeWithData) -> TfLiteStatus;
    /// Called when shapes are known or have changed: checks them and gives outputs theirs.
    TfLiteOperatorSetPrepare(prepare: Run);
    /// As `TfLiteOperatorSetPrepare`, with user data.
    TfLiteOperatorSetPrepareWithData(prepare_with_data: RunWithData) -> TfLiteStatus;
    /// Computes outputs.
    TfLiteOperatorSetInvoke(invoke: Run);
    /// As `TfLiteOperatorSetInvoke`, with user data.
    TfLiteOperatorSetInvokeWithData(invoke_with_data: RunWithData) -> TfLiteStatus;
}

/// Asynchronous kernels are not run: the function is not called.
///
/// # Safety
/// `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorSetAsyncKernel(
    operator: *mut TfLiteOperator,
    function: *const c_void,
) {
    let _ = (operator, function);
}

/// As [`TfLiteOperatorSetAsyncKernel`].
///
/// # Safety
/// `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorSetAsyncKernelWithData(
    operator: *mut TfLiteOperator,
    function: *const c_void,
) -> TfLiteStatus {
    let _ = function;
    if operator.is_null() { kTfLiteError } else { kTfLiteOk }
}

/// Permissions to lie in the memory of an input are not used: outputs lie apart.
///
/// # Safety
/// `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOperatorSetInplaceOperator(operator: *mut TfLiteOperator, permissions: u64) {
    let _ = (operator, permissions);
}
