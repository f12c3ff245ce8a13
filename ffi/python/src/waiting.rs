//! Runs a model without the GIL. Python's signal handlers only run on the main thread while it executes Python code, so
//! a call that takes long runs on another thread, and this one wakes up to handle signals.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use arenite::Interpreter;
use pyo3::prelude::*;

use crate::errors::{self, Phase};
use crate::{fork, raised};

/// From this duration on, the next call runs on another thread, which costs 20 to 50 µs.
const LONG: Duration = Duration::from_millis(20);

/// How often signals are handled.
const PERIOD: Duration = Duration::from_millis(50);

/// How long calls take.
pub(crate) struct Pace {
    /// Whether the last call took [`LONG`], or has not been made yet.
    is_long: AtomicBool,
    /// Whether the model has Python functions. They run on the caller's thread, with its context, and handle signals.
    has_functions: bool,
}

impl Pace {
    /// Of an interpreter that has not run.
    pub(crate) const fn unknown(has_functions: bool) -> Self {
        Pace { is_long: AtomicBool::new(true), has_functions }
    }

    /// Of a call that prepares the same interpreter.
    pub(crate) const fn preparing(&self) -> Self {
        Pace::unknown(self.has_functions)
    }
}

/// The result of a call, and the exception of a Python function that it called.
type Done = (arenite::Result<()>, Option<PyErr>);

/// Calls `f` without the GIL.
///
/// # Errors
/// The errors of `f`; the exception of a signal handler, which cancels `f`: KeyboardInterrupt after Ctrl-C.
pub(crate) fn without_gil(
    py: Python<'_>,
    interpreter: &mut Interpreter,
    pace: &Pace,
    phase: Phase,
    f: impl FnOnce(&mut Interpreter) -> arenite::Result<()> + Send,
) -> PyResult<()> {
    let is_interruptible = pace.is_long.load(Relaxed) && !pace.has_functions;
    let (done, exception) = match is_interruptible {
        true => interruptible(py, interpreter, pace, f)?,
        false => py.detach(|| timed(interpreter, pace, f)),
    };
    done.map_err(|error| match exception {
        Some(exception) => errors::noted(py, exception, &error),
        None => errors::exception(py, error, phase),
    })
}

fn timed(
    interpreter: &mut Interpreter,
    pace: &Pace,
    f: impl FnOnce(&mut Interpreter) -> arenite::Result<()>,
) -> Done {
    // An earlier call may have tried another op after the exception.
    drop(raised::take());
    let start = Instant::now();
    let done = f(interpreter);
    pace.is_long.store(start.elapsed() >= LONG, Relaxed);
    (done, raised::take())
}

/// Runs `f` on another thread and handles signals until it is done.
fn interruptible(
    py: Python<'_>,
    interpreter: &mut Interpreter,
    pace: &Pace,
    f: impl FnOnce(&mut Interpreter) -> arenite::Result<()> + Send,
) -> PyResult<Done> {
    let cancel = interpreter.cancel_handle();
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            // The receiver outlives the call: it is dropped at the end of the scope.
            let call = move || drop(sender.send(timed(interpreter, pace, f)));
            // A fork while glibc starts a thread would leave a stack in the child that it cannot use again.
            let caller = match fork::delay(|| thread::Builder::new().spawn_scoped(scope, call)) {
                Ok(caller) => caller,
                Err(error) => return Ok((Err(no_thread(&error)), None)),
            };
            let mut interrupt = None;
            loop {
                match receiver.recv_timeout(PERIOD) {
                    Ok(done) => return interrupt.map_or(Ok(done), Err),
                    Err(RecvTimeoutError::Timeout) => {}
                    // The call panicked; `join` keeps the scope from panicking as well.
                    Err(RecvTimeoutError::Disconnected) => {
                        return Ok((caller.join().map_err(|_| panicked()), None));
                    }
                }
                interrupt = interrupt.or_else(|| Python::attach(|py| py.check_signals()).err());
                if interrupt.is_some() {
                    // Again in each period: a call that just begins has no effect on a later one.
                    cancel.cancel();
                }
            }
        })
    })
}

fn no_thread(error: &std::io::Error) -> arenite::Error {
    arenite::Error::State(format!(
        "the system starts no thread for the call: {error}; raise its limit of threads"
    ))
}

fn panicked() -> arenite::Error {
    arenite::Error::State("the call panicked: report this as a bug, with the model".into())
}
