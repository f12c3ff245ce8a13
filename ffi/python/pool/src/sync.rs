//! The locks of this crate. `tests/loom.rs` has Loom's in their place.

pub(crate) use std::sync::atomic::AtomicU64;
pub(crate) use std::sync::{Mutex, RwLock, RwLockWriteGuard};
pub(crate) use std::thread_local;
