//! The host's services for plugins: logging, errors, threads.

use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::raw::{ArHostV1, ArRangeFn, ArStatus, ArStr};
use crate::{Error, OpSchema, Result, Status};

/// The host of this plugin, set by the handshake.
static HOST: AtomicPtr<ArHostV1> = AtomicPtr::new(core::ptr::null_mut());

/// Severity of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum LogLevel {
    /// An operation failed.
    Error = 1,
    /// Something is wrong, but work continues.
    Warn = 2,
    /// Information for users.
    Info = 3,
    /// Information for developers.
    Debug = 4,
    /// Everything else.
    Trace = 5,
}

/// Writes a message to the host's log.
pub fn log(level: LogLevel, target: &str, message: &str) {
    if let Some(host) = host() {
        // SAFETY: both texts are readable during the call.
        unsafe { (host.log)(level as u32, ArStr::borrowed(target), ArStr::borrowed(message)) };
    }
}

/// Stores the host for this plugin; called by the handshake. It replaces an earlier host. Hosts live as long as the
/// process, so calls in progress end normally, but their messages go to the new host.
///
/// # Safety
/// `host` must be valid for the life of the process, and its functions must follow the ABI's rules, as for
/// [`offer_host`].
pub unsafe fn set_host(host: *const ArHostV1) {
    HOST.store(host.cast_mut(), Ordering::Release);
}

/// Stores the host, and returns the one before; both may be null.
///
/// # Safety
/// As for [`set_host`], unless `host` is null.
pub unsafe fn replace_host(host: *const ArHostV1) -> *const ArHostV1 {
    HOST.swap(host.cast_mut(), Ordering::AcqRel)
}

/// Stores the host unless one is stored already.
///
/// # Safety
/// The functions of `host` must follow the ABI's rules: `parallel_for` must return only after all calls of its body
/// have ended, and `query` must return null or the struct of the requested interface.
pub unsafe fn offer_host(host: &'static ArHostV1) {
    let host = core::ptr::from_ref(host).cast_mut();
    // Keeps the first host.
    let _ = HOST.compare_exchange(core::ptr::null_mut(), host, Ordering::AcqRel, Ordering::Relaxed);
}

pub(crate) fn host() -> Option<&'static ArHostV1> {
    // SAFETY: the pointer is null or valid for the life of the process: `set_host` requires it, and `offer_host` takes
    // a `&'static`.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// The host's information about the builtin op with this code; `None` if the host does not have it, or is too old.
/// Custom ops have no schema.
pub fn op_schema(code: i32) -> Option<OpSchema> {
    OpSchema::find(host()?, code)
}

/// Passes an error's message to the host and returns its status.
#[cfg_attr(not(feature = "messages"), inline(always))]
pub(crate) fn report(error: &Error) -> ArStatus {
    // An empty message came from the host, which has stored its own.
    if cfg!(feature = "messages")
        && let Some(host) = host()
        && !error.message().is_empty()
    {
        // SAFETY: the message is readable during the call.
        unsafe { (host.set_error)(ArStr::borrowed(error.message())) };
    }
    error.status() as ArStatus
}

/// Converts a status returned by the host to an error. The host keeps the full message.
pub(crate) fn check(status: ArStatus) -> Result<()> {
    match Status::from_raw(status) {
        Status::Ok => Ok(()),
        status => Err(Error::new(status, format_args!(""))),
    }
}

/// Calls `body(begin..end)` for consecutive ranges that cover `0..count`, each of at least `grain`, on at most
/// `threads` threads of the host, or on this thread without a host. The ranges depend only on `count` and `grain`.
///
/// # Errors
/// The host failed, or `body` panicked.
pub fn parallel_for<F: Fn(Range<usize>) + Sync>(
    count: usize,
    grain: usize,
    threads: u32,
    body: F,
) -> Result<()> {
    let Some(host) = host() else {
        body(0..count);
        return Ok(());
    };
    let work = Loop { body: &body, panicked: AtomicBool::new(false) };
    // SAFETY: `call` expects this argument, and `set_host` and `offer_host` require that the function returns only
    // after all calls have ended, so the argument outlives them.
    let status = unsafe {
        (host.parallel_for)(
            count,
            grain,
            threads,
            ArRangeFn { call },
            (&raw const work).cast_mut().cast::<c_void>(),
        )
    };
    check(status)?;
    if work.panicked.into_inner() {
        return Err(Error::new(Status::Panicked, format_args!("a parallel loop panicked")));
    }
    Ok(())
}

struct Loop<'a> {
    body: &'a (dyn Fn(Range<usize>) + Sync),
    panicked: AtomicBool,
}

unsafe extern "C" fn call(argument: *mut c_void, begin: usize, end: usize) {
    // SAFETY: `argument` is the `Loop` of `parallel_for`, which outlives the call, and its closure is `Sync`.
    let work = unsafe { &*argument.cast::<Loop<'_>>() };
    if crate::panics::catch(&mut || (work.body)(begin..end)).is_err() {
        work.panicked.store(true, Ordering::Relaxed);
    }
}
