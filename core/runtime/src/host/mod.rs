//! The host's side of the contract: errors, logging and threads, which every plugin gets; and, per file, what a call gets. Its rules are
//! [`arenite_abi::host_side`]'s.

pub(crate) mod called;
pub(crate) mod compile;
pub mod devices;
pub(crate) mod eval;
pub(crate) mod op_schemas;
pub(crate) mod prepare;

use std::cell::RefCell;
use std::ffi::c_void;
use std::fmt;

use arenite_abi::Status;
use arenite_abi::host_side::Refusal;
use arenite_abi::raw::{ArHeader, ArHostV1, ArRangeFn, ArStatus, ArStr, INTERFACE_OP_SCHEMAS};

use crate::error::Error;
use crate::pool;
use crate::quota::Resource;

/// The one host of this process.
pub(crate) static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query };

/// Longest message that is kept, in bytes.
const MESSAGE_LIMIT: usize = 4096;

thread_local! {
    /// Message of the call in progress on this thread.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a message for the call in progress on this thread.
pub(crate) fn keep_message(text: &str) {
    MESSAGE.with(|message| {
        if let Ok(mut message) = message.try_borrow_mut() {
            let end =
                (0..=text.len().min(MESSAGE_LIMIT)).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            message.clear();
            message.push_str(&text[..end]);
        }
    });
}

/// The message of the call that just failed; `otherwise` if it left none.
pub(crate) fn take_message(otherwise: &str) -> String {
    let text = MESSAGE.with(|message| message.try_borrow_mut().map(|mut m| std::mem::take(&mut *m)));
    match text {
        Ok(text) if !text.is_empty() => text,
        _ => otherwise.to_owned(),
    }
}

/// Forgets what an earlier call left.
pub(crate) fn clear_message() {
    MESSAGE.with(|message| {
        if let Ok(mut message) = message.try_borrow_mut() {
            message.clear();
        }
    });
}

unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: readable for the call, by the contract.
    keep_message(unsafe { message.as_str() });
}

unsafe extern "C" fn log(level: u32, target: ArStr, message: ArStr) {
    // SAFETY: readable for the call, by the contract.
    let (plugin, message) = unsafe { (target.as_str(), message.as_str()) };
    match level {
        1 => tracing::error!(target: "arenite::plugin", plugin, "{message}"),
        2 => tracing::warn!(target: "arenite::plugin", plugin, "{message}"),
        3 => tracing::info!(target: "arenite::plugin", plugin, "{message}"),
        4 => tracing::debug!(target: "arenite::plugin", plugin, "{message}"),
        _ => tracing::trace!(target: "arenite::plugin", plugin, "{message}"),
    }
}

/// Why a callback refuses: the kind, and what the plugin is told.
pub(crate) struct Refused {
    pub status: Status,
    pub message: String,
}

impl Refused {
    /// Keeps the message for the call in progress; gives the status that crosses.
    pub fn report(self) -> ArStatus {
        keep_message(&self.message);
        self.status as ArStatus
    }
}

impl Refusal for Refused {
    fn new(status: Status, message: fmt::Arguments<'_>) -> Self {
        Refused { status, message: message.to_string() }
    }
}

/// An error of the runtime, for the node that made the call: of a called subgraph, the node itself neither panicked nor lacks
/// a kernel.
impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Cancelled | Error::Quota { resource: Resource::Time, .. } => Status::Cancelled,
            Error::Node { status: Status::Cancelled, .. } => Status::Cancelled,
            Error::Quota { resource: Resource::Bytes | Resource::DeviceBytes, .. }
            | Error::OutOfMemory { .. } => Status::OutOfMemory,
            Error::Node { status: Status::OutOfMemory, .. } => Status::OutOfMemory,
            Error::Node { status: Status::Unavailable, .. } => Status::Unavailable,
            Error::Node { status: Status::Internal | Status::Panicked, .. } => Status::Internal,
            _ => Status::Invalid,
        };
        Refused { status, message: error.to_string() }
    }
}

/// The caller's argument, to be used from several threads.
struct Argument(*mut c_void);
// SAFETY: the contract of `parallel_for` says that the body may be called from any thread with its argument.
unsafe impl Sync for Argument {}

unsafe extern "C" fn parallel_for(
    count: usize,
    grain: usize,
    threads: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    let argument = Argument(argument);
    let argument = &argument;
    let run = |range: std::ops::Range<usize>| {
        // SAFETY: the function and its argument belong together and live until this function returns.
        unsafe { (body.call)(argument.0, range.start, range.end) };
    };
    match pool::parallel_for(count, grain, threads as usize, &run) {
        Ok(()) => Status::Ok as ArStatus,
        Err(_) => Status::Panicked as ArStatus,
    }
}

unsafe extern "C" fn query(interface: u64) -> *const c_void {
    match interface {
        INTERFACE_OP_SCHEMAS => (&raw const op_schemas::SCHEMAS).cast(),
        _ => std::ptr::null(),
    }
}
