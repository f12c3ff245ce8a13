//! The test host's services for plugins: errors, logging, loops.

use core::cell::RefCell;
use core::ffi::c_void;
use std::string::{String, ToString};

use crate::Status;
use crate::raw::*;

std::thread_local! {
    /// The message of the call in progress.
    pub(super) static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

pub(super) static HOST: ArHostV1 =
    ArHostV1 { header: ArHeader::of::<ArHostV1>(), set_error, log, parallel_for, query: host_query };

unsafe extern "C" fn set_error(message: ArStr) {
    // SAFETY: the ABI requires the text to be readable during the call.
    let message = unsafe { message.as_str() }.to_string();
    MESSAGE.set(message);
}

unsafe extern "C" fn log(level: u32, target: ArStr, message: ArStr) {
    // SAFETY: the ABI requires both texts to be readable during the call.
    let (target, message) = unsafe { (target.as_str(), message.as_str()) };
    std::eprintln!("log level {level}, {target}: {message}");
}

unsafe extern "C" fn parallel_for(
    count: usize,
    grain: usize,
    _threads: u32,
    body: ArRangeFn,
    argument: *mut c_void,
) -> ArStatus {
    let grain = grain.max(1);
    for begin in (0..count).step_by(grain).rev() {
        // SAFETY: the ABI requires `body` to accept `argument` and any range.
        unsafe { (body.call)(argument, begin, count.min(begin.saturating_add(grain))) };
    }
    Status::Ok as ArStatus
}

unsafe extern "C" fn host_query(_interface: u64) -> *const c_void {
    core::ptr::null()
}
