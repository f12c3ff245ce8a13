//! Functions of `arenite/base.h`.

use std::ffi::c_char;

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn ar_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
