//! What every op gets of its host: messages are kept in one place of the program, logging is nothing, loops run on the caller's thread.
//!
//! Where threads run interpreters at once, a message may be lost, or be another's; what is done, and the status, never are.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use arenite_abi::raw::{ArHeader, ArHostV1, ArRangeFn, ArStatus, ArStr};
use arenite_abi::{Error, Status};

/// The host, for programs that have no other one.
pub(crate) static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query };

/// What is handed to plugins that are linked into a program that has no other host.
pub fn host() -> &'static ArHostV1 {
    &HOST
}

/// The message of the call that failed last.
struct Kept {
    used: AtomicBool,
    /// Whether there may be one: most calls succeed, and look no further.
    is_there: AtomicBool,
    message: UnsafeCell<Option<Error>>,
}

// SAFETY: the message is touched by whoever has set `used`, and by nobody else.
unsafe impl Sync for Kept {}

static KEPT: Kept =
    Kept { used: AtomicBool::new(false), is_there: AtomicBool::new(false), message: UnsafeCell::new(None) };

impl Kept {
    /// Exchanges the message, unless another thread is at it.
    #[inline(never)]
    fn replace(&self, message: Option<Error>) -> Option<Error> {
        if self.used.swap(true, Ordering::Acquire) {
            return None;
        }
        self.is_there.store(message.is_some(), Ordering::Relaxed);
        // SAFETY: `used` was not set, and is by now.
        let before = unsafe { core::mem::replace(&mut *self.message.get(), message) };
        self.used.store(false, Ordering::Release);
        before
    }

    fn take(&self) -> Option<Error> {
        if self.is_there.load(Ordering::Relaxed) { self.replace(None) } else { None }
    }
}

/// Keeps the message of a call in progress; gives its status.
pub(crate) fn keep(error: Error) -> ArStatus {
    KEPT.replace(Some(error));
    error.status() as ArStatus
}

/// The error of a call that returned this status.
#[inline]
pub(crate) fn check(status: ArStatus) -> Result<(), Error> {
    if status == Status::Ok as ArStatus && !KEPT.is_there.load(Ordering::Relaxed) {
        return Ok(());
    }
    let kept = KEPT.take();
    match Status::from_raw(status) {
        Status::Ok => Ok(()),
        status => {
            let text = kept.as_ref().map_or("it failed without a message", |error| error.message());
            Err(Error::new(status, format_args!("{text}")))
        }
    }
}

unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: readable for the call, by the contract.
    let text = unsafe { message.as_str() };
    KEPT.replace(Some(Error::new(Status::Internal, format_args!("{text}"))));
}

unsafe extern "C" fn log(_level: u32, _target: ArStr, _message: ArStr) {}

unsafe extern "C" fn parallel_for(
    count: usize,
    _grain: usize,
    _threads: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    // SAFETY: `body` takes `argument`, by the contract of `ArHostV1::parallel_for`; it is called once, for all of the range.
    unsafe { (body.call)(argument, 0, count) };
    Status::Ok as ArStatus
}

unsafe extern "C" fn query(_interface: u64) -> *const c_void {
    core::ptr::null()
}
