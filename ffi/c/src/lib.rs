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
mod memory;
mod model;
mod observer;
mod options;
mod picture;
mod plugin;
mod profile;
mod registry;
mod report;
mod signature;
mod subgraph;
mod tensor;
mod values;

use std::ffi::c_char;

pub use arguments::ArReleaseCallback;
pub use error::*;
pub use hand_over::*;
pub use interpreter::*;
pub use log::*;
pub use memory::*;
pub use model::*;
pub use observer::*;
pub use options::*;
pub use picture::*;
pub use plugin::*;
pub use profile::*;
pub use registry::*;
pub use report::*;
pub use signature::*;
pub use subgraph::*;
pub use tensor::*;
pub use values::*;

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn ar_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
