//! Delegates of the program's own.

use std::ffi::c_void;

use crate::options::TfLiteInterpreterOptions;
use crate::state::Shared;
use crate::types::*;

/// Why a delegate cannot be applied.
fn refusal(delegate: *const c_void) -> &'static str {
    if delegate.is_null() { "the delegate is null" } else { "delegates of the program's own are not served" }
}

/// Whether the delegates that options name can be used.
pub(crate) fn check(options: &TfLiteInterpreterOptions) -> Result<(), String> {
    options.delegates.first().map_or(Ok(()), |&delegate| Err(refusal(delegate).into()))
}

/// Applies a delegate to an interpreter that is there.
///
/// # Safety
/// The delegate is null or a `TfLiteDelegate` that outlives the interpreter.
pub(crate) unsafe fn modify(shared: &Shared, delegate: *mut c_void) -> TfLiteStatus {
    shared.reporter.report(refusal(delegate));
    kTfLiteDelegateError
}
