//! Questions that a delegate asks the host before it decides about nodes: which partitions would result, and which op
//! or delegate serves a node otherwise.

#[cfg(feature = "std")]
mod questions;
pub(crate) mod raw;

#[cfg(feature = "std")]
pub use questions::Server;
