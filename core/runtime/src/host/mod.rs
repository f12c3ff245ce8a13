//! The host's side of the contract: errors, logging and threads, which every plugin gets, and one file for each kind of
//! call. The rules are in [`arenite_abi::host_side`].

pub(crate) mod claim;
pub(crate) mod compile;
pub(crate) mod devices;
pub(crate) mod eval;
pub(crate) mod message;
pub(crate) mod model;
pub(crate) mod op_schemas;
pub(crate) mod prepare;

use std::ffi::c_void;

use arenite_abi::Status;
use arenite_abi::raw::{ArHeader, ArHostV1, ArRangeFn, ArStatus, ArStr, INTERFACE_OP_SCHEMAS};

use crate::pool;
use message::keep_message;

/// The one host of this process.
pub(crate) static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query };

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

/// The caller's argument, to be used from several threads.
struct Argument(*mut c_void);
// SAFETY: under the contract of `parallel_for`, any thread may call the body with its argument.
unsafe impl Sync for Argument {}

unsafe extern "C" fn parallel_for(
    count: usize,
    grain: usize,
    threads: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    let argument = Argument(argument);
    // By value: a thread then reads both in one place.
    let run = move |range: std::ops::Range<usize>| {
        let Argument(argument) = &argument;
        // SAFETY: the function and its argument belong together and live until this function returns.
        unsafe { (body.call)(*argument, range.start, range.end) };
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
