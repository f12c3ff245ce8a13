//! `libarenite`: the runtime for programs in C and C++. `include/arenite.h` describes every function; this crate is
//! what stands behind it.
//!
//! Safety, for all functions: a pointer that a caller passes is null or fits its description in the header. Null is
//! checked where the header does not allow it; text is checked to be UTF-8; a panic is caught and becomes an error.
//!
//! Handles are shared references to C: an interpreter keeps its state in a lock that is only ever tried, so that two
//! threads that use one interpreter at once get an error and no data race.
#![deny(missing_docs)]
// The crate's documentation states the rule once for all.
#![allow(clippy::missing_safety_doc)]

mod arguments;
mod error;
mod hand_over;
mod interpreter;
mod log;
mod model;
mod options;
mod plugin;
mod signature;
mod tensor;

use std::ffi::c_char;

pub use error::*;
pub use hand_over::*;
pub use interpreter::*;
pub use log::*;
pub use model::*;
pub use options::*;
pub use plugin::*;
pub use signature::*;
pub use tensor::*;

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn ar_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
