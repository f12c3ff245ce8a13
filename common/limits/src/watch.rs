//! A time limit.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use crate::Ending;

/// Ends the process at a deadline unless it is dropped before.
#[must_use = "the time limit ends when the watch is dropped"]
pub struct Watch(Arc<State>);

#[derive(Default)]
struct State {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Watch {
    /// Starts the thread that enforces the deadline. `None` if the system cannot start a thread.
    pub fn start(deadline: Instant, ending: Ending) -> Option<Watch> {
        let state = Arc::new(State::default());
        let watched = Arc::clone(&state);
        let thread = std::thread::Builder::new().name("time limit".into()).stack_size(64 << 10);
        thread.spawn(move || watched.wait(deadline, &ending)).ok().map(|_| Watch(state))
    }
}

impl State {
    fn wait(&self, deadline: Instant, ending: &Ending) {
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_over {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // Ends the process while holding the lock, so that a thread that drops the watch now waits instead of
                // continuing.
                ending.end();
            }
            let woken = self.changed.wait_timeout(is_over, left);
            is_over = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.0.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_one();
    }
}
