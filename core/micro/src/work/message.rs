//! The host that all ops share. It stores one message per program, drops logs, and runs loops on the calling thread.
//!
//! If several threads run interpreters, a message may be lost or belong to another thread. Results and statuses are
//! always right.

#[cfg(feature = "messages")]
use core::cell::UnsafeCell;
use core::ffi::c_void;
#[cfg(feature = "messages")]
use core::sync::atomic::{AtomicBool, Ordering};

use arenite_abi::raw::{ArHeader, ArHostV1, ArRangeFn, ArStatus, ArStr};
use arenite_abi::{Error, Status};

/// The host for programs without another one.
pub(crate) static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query };

/// The host for plugins that are linked into a program without another one.
pub fn host() -> &'static ArHostV1 {
    &HOST
}

/// While this exists, ops that are linked into the program have this host, even if the program has another one, so
/// that their messages arrive here.
#[cfg(feature = "alloc")]
pub(crate) struct OwnHost {
    before: *const ArHostV1,
}

#[cfg(feature = "alloc")]
impl OwnHost {
    pub(crate) fn new() -> Self {
        // SAFETY: `HOST` is static and keeps the contract: `parallel_for` calls its body on this thread, and `query`
        // returns null.
        OwnHost { before: unsafe { arenite_abi::host::replace_host(&HOST) } }
    }
}

#[cfg(feature = "alloc")]
impl Drop for OwnHost {
    fn drop(&mut self) {
        // SAFETY: this is null or the host that was stored before, which lives as long as the process.
        unsafe { arenite_abi::host::replace_host(self.before) };
    }
}

/// The message of the last call that failed.
#[cfg(feature = "messages")]
struct LastMessage {
    used: AtomicBool,
    /// Whether a message may be stored. Most calls succeed and check only this.
    is_there: AtomicBool,
    message: UnsafeCell<Option<Error>>,
}

// SAFETY: only the thread that changed `used` from false to true accesses the message, until it resets `used`.
#[cfg(feature = "messages")]
unsafe impl Sync for LastMessage {}

#[cfg(feature = "messages")]
static LAST: LastMessage = LastMessage {
    used: AtomicBool::new(false),
    is_there: AtomicBool::new(false),
    message: UnsafeCell::new(None),
};

#[cfg(feature = "messages")]
impl LastMessage {
    /// Exchanges the message, unless another thread is doing so.
    #[inline(never)]
    fn replace(&self, message: Option<Error>) -> Option<Error> {
        if self.used.swap(true, Ordering::Acquire) {
            return None;
        }
        self.is_there.store(message.is_some(), Ordering::Relaxed);
        // SAFETY: this thread changed `used` from false to true, so no other thread accesses the message.
        let before = unsafe { core::mem::replace(&mut *self.message.get(), message) };
        self.used.store(false, Ordering::Release);
        before
    }

    fn take(&self) -> Option<Error> {
        if self.is_there.load(Ordering::Relaxed) { self.replace(None) } else { None }
    }
}

/// Stores the message of the current call and returns its status.
pub(crate) fn store(error: Error) -> ArStatus {
    #[cfg(feature = "messages")]
    LAST.replace(Some(error));
    error.status() as ArStatus
}

/// The error of a call that returned `status`.
#[cfg(not(feature = "messages"))]
#[inline]
pub(crate) fn check(status: ArStatus) -> Result<(), Error> {
    match Status::from_raw(status) {
        Status::Ok => Ok(()),
        status => Err(Error::new(status, format_args!(""))),
    }
}

/// The error of a call that returned `status`.
#[cfg(feature = "messages")]
#[inline]
pub(crate) fn check(status: ArStatus) -> Result<(), Error> {
    if status == Status::Ok as ArStatus && !LAST.is_there.load(Ordering::Relaxed) {
        return Ok(());
    }
    let kept = LAST.take();
    match Status::from_raw(status) {
        Status::Ok => Ok(()),
        status => {
            let text = kept.as_ref().map_or("it failed without a message", |error| error.message());
            Err(Error::new(status, format_args!("{text}")))
        }
    }
}

/// `error` with the message of the last call that failed, if it has none itself.
#[cfg(feature = "std")]
pub(crate) fn complete(error: Error) -> Error {
    match LAST.take() {
        Some(kept) if error.message().is_empty() => {
            Error::new(error.status(), format_args!("{}", kept.message()))
        }
        _ => error,
    }
}

#[cfg(not(feature = "messages"))]
unsafe extern "C" fn set_error(_: ArStr) {}

#[cfg(feature = "messages")]
unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: the contract requires the text to be readable during the call.
    let text = unsafe { message.as_str() };
    LAST.replace(Some(Error::new(Status::Internal, format_args!("{text}"))));
}

unsafe extern "C" fn log(_level: u32, _target: ArStr, _message: ArStr) {}

unsafe extern "C" fn parallel_for(
    count: usize,
    _grain: usize,
    _threads: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    // SAFETY: the contract of `ArHostV1::parallel_for` requires that `body` accepts `argument` and any range below
    // `count`.
    unsafe { (body.call)(argument, 0, count) };
    Status::Ok as ArStatus
}

unsafe extern "C" fn query(_interface: u64) -> *const c_void {
    core::ptr::null()
}
