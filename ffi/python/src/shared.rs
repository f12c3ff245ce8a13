//! An interpreter that several Python objects use: the interpreter itself, the functions from `tensor()`, and the
//! arrays that share its memory.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use arenite::Interpreter;
use pyo3::prelude::*;

use crate::errors::{self, Phase};
use crate::place::Place;
use crate::waiting::Pace;

/// An interpreter, and shapes that it does not have yet.
pub(crate) struct State {
    pub(crate) interpreter: Interpreter,
    /// Shapes since the last allocation.
    pub(crate) coming: HashMap<Place, Vec<i32>>,
}

impl Deref for State {
    type Target = Interpreter;

    fn deref(&self) -> &Interpreter {
        &self.interpreter
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Interpreter {
        &mut self.interpreter
    }
}

/// An interpreter, and the number of arrays that share its memory.
pub(crate) struct SharedInterpreter {
    state: Mutex<State>,
    views: AtomicUsize,
    /// The pace of `invoke`.
    pub(crate) pace: Pace,
    /// The pace of `allocate_tensors`.
    pub(crate) preparing: Pace,
}

/// Keeps the memory of an interpreter alive and in place. It is the base of an array that shares this memory.
#[pyclass(frozen, module = "arenite._native")]
pub(crate) struct View {
    shared: Arc<SharedInterpreter>,
}

impl Drop for View {
    fn drop(&mut self) {
        self.shared.views.fetch_sub(1, Release);
    }
}

impl SharedInterpreter {
    pub(crate) fn new(interpreter: Interpreter, has_functions: bool) -> Arc<Self> {
        let state = Mutex::new(State { interpreter, coming: HashMap::new() });
        let views = AtomicUsize::new(0);
        let (pace, preparing) = (Pace::unknown(has_functions), Pace::unknown(has_functions));
        Arc::new(SharedInterpreter { state, views, pace, preparing })
    }

    /// The interpreter.
    ///
    /// # Errors
    /// Another thread uses it.
    pub(crate) fn lock(&self, py: Python<'_>, phase: Phase) -> PyResult<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::WouldBlock) => Err(errors::state_error(
                py,
                "another thread uses this interpreter: give each thread its own, or use arenite.Model, which has one \
                 for each thread",
                phase,
            )),
            Err(TryLockError::Poisoned(_)) => Err(errors::state_error(
                py,
                "an earlier call to this interpreter panicked: make a new one, and report the panic as a bug",
                phase,
            )),
        }
    }

    /// The interpreter, for a call after which tensors may be elsewhere.
    ///
    /// # Errors
    /// Arrays share its memory, or another thread uses it.
    pub(crate) fn lock_to_move(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        let state = self.lock(py, Phase::Run)?;
        // Views are only made while the lock is held, so none can appear before it is released.
        match self.views.load(Acquire) {
            0 => Ok(state),
            views => {
                let (arrays, share) = if views == 1 { ("array", "shares") } else { ("arrays", "share") };
                let message = format!(
                    "{views} {arrays} from tensor() {share} this interpreter's memory, which the call may move: delete \
                     them first, or copy them, or keep only the function that tensor() returns"
                );
                Err(errors::state_error(py, &message, Phase::Run))
            }
        }
    }

    /// The number of arrays that share the memory.
    pub(crate) fn view_count(&self) -> usize {
        self.views.load(Acquire)
    }

    /// Something that keeps the memory in place. The caller holds the lock.
    pub(crate) fn view(self: &Arc<Self>) -> View {
        self.views.fetch_add(1, Acquire);
        View { shared: Arc::clone(self) }
    }
}
