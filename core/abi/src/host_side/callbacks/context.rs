//! From the `context` of a callback to the host.

use core::ffi::c_void;

use super::super::HostSide;
use crate::Status;
use crate::raw::ArStatus;

/// Runs `f` on the host behind `context`, and reports its error.
///
/// # Safety
/// `context` must point to the `H` of the call in progress, and no other callback may be running.
pub(super) unsafe fn with<H: HostSide>(
    context: *mut c_void,
    f: impl FnOnce(&mut H) -> Result<(), H::Refused>,
) -> ArStatus {
    // SAFETY: the caller guarantees that `context` points to the `H` of the call in progress and that no other callback
    // uses it. The host itself does not use it until the plugin returns.
    match f(unsafe { &mut *context.cast::<H>() }) {
        Ok(()) => Status::Ok as ArStatus,
        Err(refused) => H::report(refused),
    }
}
