//! `libarenite`: the runtime for programs in C and C++. `include/arenite.h` and the headers that it includes document
//! every function.
//!
//! Safety, for all exported functions: the caller must pass pointers that are null or meet the description in the
//! header. This crate checks for null where the header does not permit it, checks that text is UTF-8, and turns a panic
//! into an error.
//!
//! To C, a handle is a shared reference. An interpreter keeps its state in a lock that is never waited for: if two
//! threads use one interpreter at the same time, the second gets an error instead of a data race.
#![deny(missing_docs)]
// The crate's documentation states the requirements of all exported functions.
#![allow(clippy::missing_safety_doc)]

mod arguments;
mod base;
mod error;
mod interpreter;
mod log;
mod model;
mod observer;
mod options;
mod picture;
mod plan;
mod plugins;
mod profile;
mod registry;
mod report;
mod session;
mod signature;
mod subgraph;
mod tensor;

pub use arguments::ArReleaseCallback;
pub use base::*;
pub use error::*;
pub use interpreter::*;
pub use log::*;
pub use model::*;
pub use observer::*;
pub use options::*;
pub use picture::*;
pub use plan::*;
pub use plugins::*;
pub use profile::*;
pub use registry::*;
pub use session::*;
pub use signature::*;
pub use subgraph::*;
pub use tensor::*;
