//! A plugin that requires version 2.0 of the contract and does not support version 1: the host must report that and
//! register nothing. Like a plugin in C, it exports only the entry.

use std::ffi::c_void;

/// Refuses every host older than 2.0.
///
/// # Safety
/// `version` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arenite_plugin_v1(_host: *const c_void, version: *mut u32) -> *const c_void {
    // SAFETY: the contract requires `version` to be null or writable.
    if let Some(version) = unsafe { version.as_mut() } {
        *version = 2 << 16;
    }
    std::ptr::null()
}
