//! Keeps locks usable in a child process: `os.register_at_fork` calls the functions below.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use pyo3::prelude::*;

/// How often this process's line of parents forked.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Read while an interpreter is built or prepared, which takes locks inside the plugins. Written during a fork, so that
/// no other thread holds one of these locks: in the child nothing would release it.
static BUILDING: RwLock<()> = RwLock::new(());

thread_local! {
    static HELD: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// Changes in a child process.
pub(crate) fn generation() -> u64 {
    GENERATION.load(Relaxed)
}

/// Delays forks until the guard is dropped.
pub(crate) fn building() -> RwLockReadGuard<'static, ()> {
    BUILDING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no thread builds or prepares an interpreter.
#[pyfunction]
pub(crate) fn before_fork(py: Python<'_>) {
    // Without the GIL, which the other threads may need before they are done.
    py.detach(|| {
        let guard = BUILDING.write().unwrap_or_else(PoisonError::into_inner);
        HELD.with(|held| *held.borrow_mut() = Some(guard));
    });
}

/// Lets interpreters be built again.
#[pyfunction]
pub(crate) fn after_fork(in_child: bool) {
    if in_child {
        GENERATION.fetch_add(1, Relaxed);
    }
    HELD.with(|held| *held.borrow_mut() = None);
}
