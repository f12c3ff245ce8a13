//! Interpreters that calls on many threads share, in a process that may fork.
#![forbid(unsafe_code)]

mod forks;
mod pool;
mod sync;

pub use forks::{Fork, Forks};
pub use pool::Pool;
