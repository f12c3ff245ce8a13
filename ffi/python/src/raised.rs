//! The exception of a Python function that a model called. An error of an op has room for a short text only, so the
//! exception takes this way to the caller.

use std::cell::RefCell;

use pyo3::PyErr;

thread_local! {
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keeps the exception for the call that runs on this thread.
pub(crate) fn put(exception: PyErr) {
    RAISED.with(|raised| *raised.borrow_mut() = Some(exception));
}

/// Takes the exception that a function raised on this thread.
pub(crate) fn take() -> Option<PyErr> {
    RAISED.with(RefCell::take)
}
