//! Fuzz targets of the C interfaces: sequences of calls of both C libraries, and registrations of ops, planners and
//! delegates with arbitrary numbers, texts and functions.
//!
//! The targets obey the rules of the headers: a pointer is null or as documented, a buffer has the size that is passed
//! with it, a handle is used by one thread at a time and never after it was freed. Everything else depends on the
//! bytes: the order of calls, indices, counts, shapes, names, and null pointers anywhere.

use std::sync::atomic::AtomicU64;

mod arenite_calls;
mod conversation;
mod descriptors;
mod models;
mod tflite_calls;

pub use arenite_calls::calls as arenite;
pub use descriptors::descriptors;
pub use tflite_calls::calls as tflite;

/// A fuzz target: its name, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// The targets of this crate.
pub const TARGETS: &[Target] =
    &[("arenite_calls", arenite), ("tflite_calls", tflite), ("descriptors", descriptors)];

/// The number of steps of all sequences so far. Each is one call of a C library or more.
pub static STEPS: AtomicU64 = AtomicU64::new(0);
