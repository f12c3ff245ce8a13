//! What fuzz targets do across the C boundary: sequences of calls of both C libraries, and descriptors of ops, planners and delegates whose
//! numbers, texts and functions are wild.
//!
//! Rules of the game, which are the headers': a pointer is null or what its description says, a buffer has the size that is given with it,
//! a handle is used by one thread at a time and never after it was freed. All else is up to the bytes: the order of calls, indices, counts,
//! shapes, names, null in any place.

use std::sync::atomic::AtomicU64;

mod arenite_calls;
mod descriptors;
mod models;
mod tflite_calls;

pub use arenite_calls::calls as arenite;
pub use descriptors::descriptors;
pub use tflite_calls::calls as tflite;

/// A fuzz target: its name, and what it does with its bytes.
pub type Target = (&'static str, fn(&[u8]));

/// The targets of this crate.
pub const TARGETS: &[Target] =
    &[("arenite_calls", arenite), ("tflite_calls", tflite), ("descriptors", descriptors)];

/// Steps of all sequences so far: each is one call of a C library or more.
pub static STEPS: AtomicU64 = AtomicU64::new(0);
