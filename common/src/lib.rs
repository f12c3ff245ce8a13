//! What the program and the C library share: reports, which both give as the same JSON, and tensors as numbers.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod inspection;
pub mod memory;
pub mod placement;
pub mod plugins;
pub mod profile;
mod text;
pub mod values;

pub use text::{join, shape};
