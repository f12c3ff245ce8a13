//! Keeps locks usable in a child process: `os.register_at_fork` calls the functions below.

use std::cell::RefCell;
use std::sync::LazyLock;

use arenite_pool::{Fork, Forks};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

static FORKS: LazyLock<Forks> = LazyLock::new(Forks::new);

thread_local! {
    static BEGUN: RefCell<Option<Fork<'static>>> = const { RefCell::new(None) };
}

/// Changes in a child process.
pub(crate) fn generation() -> u64 {
    FORKS.generation()
}

/// Builds or prepares an interpreter, which takes locks inside the plugins. Called without the GIL: a fork that waits
/// for this may hold up other threads that need it.
pub(crate) fn delay<R>(work: impl FnOnce() -> R) -> R {
    FORKS.delay(work)
}

/// The value of `lock`, computed by `make` on the first call. A fork waits until it is computed: the child would wait
/// forever for the thread that computes it, or that holds the lock of a module that it imports.
///
/// # Errors
/// The errors of `make`.
pub(crate) fn once<'a, T: Send + Sync>(
    py: Python<'_>,
    lock: &'a PyOnceLock<T>,
    make: impl FnOnce(Python<'_>) -> PyResult<T> + Send,
) -> PyResult<&'a T> {
    match lock.get(py) {
        Some(value) => Ok(value),
        None => py.detach(|| delay(|| Python::attach(|py| lock.get_or_try_init(py, || make(py))))),
    }
}

/// Waits until no thread builds or prepares an interpreter.
#[pyfunction]
pub(crate) fn before_fork(py: Python<'_>) {
    // Without the GIL, which the other threads may need before they are done.
    py.detach(|| BEGUN.with(|begun| *begun.borrow_mut() = Some(FORKS.begin())));
}

/// Lets interpreters be built again.
#[pyfunction]
pub(crate) fn after_fork(in_child: bool) {
    if in_child {
        FORKS.enter_child();
    }
    BEGUN.with(|begun| *begun.borrow_mut() = None);
}
