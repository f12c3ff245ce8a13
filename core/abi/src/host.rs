//! The host, as seen from inside a plugin: logging, errors, threads.

use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::raw::{ArHostV1, ArRangeFn, ArStatus, ArStr};
use crate::{Error, OpSchema, Result, Status};

/// The host of this plugin, set by the handshake.
static HOST: AtomicPtr<ArHostV1> = AtomicPtr::new(core::ptr::null_mut());

/// Severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum LogLevel {
    /// Something failed.
    Error = 1,
    /// Something is not as it should be, work goes on.
    Warn = 2,
    /// What a user wants to know.
    Info = 3,
    /// What a developer wants to know.
    Debug = 4,
    /// Everything.
    Trace = 5,
}

/// Writes a line to the host's log.
pub fn log(level: LogLevel, target: &str, message: &str) {
    if let Some(host) = host() {
        // SAFETY: both texts are readable for the call.
        unsafe { (host.log)(level as u32, ArStr::borrowed(target), ArStr::borrowed(message)) };
    }
}

/// Keeps the host for this plugin; called by the handshake. Another host that was kept before is replaced: hosts live as
/// long as the process, so calls in progress from it end well, but their messages go to the new one.
///
/// # Safety
/// `host` is valid for the life of the process, and its functions keep the contract, as for [`offer_host`].
pub unsafe fn set_host(host: *const ArHostV1) {
    HOST.store(host.cast_mut(), Ordering::Release);
}

/// Keeps the host if there is none yet.
///
/// # Safety
/// The functions of `host` keep the contract: `parallel_for` returns when all calls of its body have ended, and what `query` gives for an
/// interface is null or that interface's struct.
pub unsafe fn offer_host(host: &'static ArHostV1) {
    let host = core::ptr::from_ref(host).cast_mut();
    // Whoever was first stays.
    let _ = HOST.compare_exchange(core::ptr::null_mut(), host, Ordering::AcqRel, Ordering::Relaxed);
}

pub(crate) fn host() -> Option<&'static ArHostV1> {
    // SAFETY: null, or valid for the life of the process: `set_host` requires it, and `offer_host` takes a `&'static`.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// What the host knows of the builtin op with this code; `None` if that is nothing, or the host is of an earlier version. Custom ops have
/// no schema.
pub fn op_schema(code: i32) -> Option<OpSchema> {
    OpSchema::find(code)
}

/// Hands the message of an error to the host and gives its status.
pub(crate) fn report(error: &Error) -> ArStatus {
    // An empty message came from the host, which has kept its own.
    if let Some(host) = host()
        && !error.message().is_empty()
    {
        // SAFETY: the message is readable for the call.
        unsafe { (host.set_error)(ArStr::borrowed(error.message())) };
    }
    error.status() as ArStatus
}

/// A status that the host returned, as an error. The host keeps its own, longer message.
pub(crate) fn check(status: ArStatus) -> Result<()> {
    match Status::from_raw(status) {
        Status::Ok => Ok(()),
        status => Err(Error::new(status, format_args!(""))),
    }
}

/// Calls `body(begin..end)` for consecutive ranges of at least `grain` that cover `0..count`, on at most `threads`
/// threads of the host; without a host, on this one. The ranges depend on `count` and `grain` alone.
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
    let work = Work { body: &body, panicked: AtomicBool::new(false) };
    // SAFETY: `call` fits the argument, and the host returns when all calls have ended.
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

struct Work<'a> {
    body: &'a (dyn Fn(Range<usize>) + Sync),
    panicked: AtomicBool,
}

unsafe extern "C" fn call(argument: *mut c_void, begin: usize, end: usize) {
    // SAFETY: `argument` is the `Work` of `parallel_for`, which outlives the call and whose closure is `Sync`.
    let work = unsafe { &*argument.cast::<Work<'_>>() };
    if crate::shim::catch(&mut || (work.body)(begin..end)).is_err() {
        work.panicked.store(true, Ordering::Relaxed);
    }
}
