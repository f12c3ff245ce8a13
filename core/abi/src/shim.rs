//! Calls an author's code from a vtable's function: catches panics and turns results into statuses.

#[cfg(feature = "std")]
use core::ffi::c_void;

use crate::panics::{CaughtPanic, catch};
use crate::raw::ArStatus;
use crate::{Result, Status, host};

/// Runs `f` and converts its result to a status; the message goes to the host.
pub(crate) fn status(f: &mut dyn FnMut() -> Result<()>) -> ArStatus {
    let mut status = Status::Ok as ArStatus;
    let caught = catch(&mut || {
        if let Err(error) = f() {
            status = host::report(&error);
        }
    });
    match caught {
        Ok(()) => status,
        Err(CaughtPanic(error)) => host::report(&error),
    }
}

/// Like [`status`], for programs without std, whose panics cannot be caught: without calls through pointers.
#[inline(always)]
pub(crate) fn direct_status(mut f: impl FnMut() -> Result<()>) -> ArStatus {
    #[cfg(feature = "std")]
    return status(&mut f);
    #[cfg(not(feature = "std"))]
    match f() {
        Ok(()) => Status::Ok as ArStatus,
        Err(error) => host::report(&error),
    }
}

/// A value on the heap; [`destroy_box`] takes it back.
#[cfg(feature = "std")]
pub(crate) fn into_raw<T>(value: T) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}

/// Drops a value on the heap.
///
/// Frees a box.
///
/// # Safety
/// `pointer` must be null, or come from [`into_raw`] for a `T` and not be used again.
#[cfg(feature = "std")]
pub(crate) unsafe fn destroy_box<T>(pointer: *mut c_void) {
    if !pointer.is_null() {
        status(&mut || {
            // SAFETY: `pointer` is not null, checked above; the caller guarantees that it came from `into_raw` for a
            // `T` and is not used again.
            drop(unsafe { Box::from_raw(pointer.cast::<T>()) });
            Ok(())
        });
    }
}
