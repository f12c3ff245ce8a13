//! Time limits of single calls.

use std::time::{Duration, Instant};

use arenite::Interpreter;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors;

/// When a call must end.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    end: Instant,
    /// The limit as the caller gave it, for the message.
    seconds: f64,
    /// The limit of the interpreter's quota.
    quota: Option<Duration>,
}

impl Deadline {
    /// The earlier of `timeout` seconds from now and `deadline` in seconds of `time.monotonic()`.
    ///
    /// # Errors
    /// One of them is not a number.
    pub(crate) fn of(py: Python<'_>, timeout: Option<f64>, deadline: Option<f64>) -> PyResult<Option<Self>> {
        let rest = match deadline {
            Some(deadline) => {
                let now: f64 = py.import("time")?.call_method0("monotonic")?.extract()?;
                Some(deadline - now)
            }
            None => None,
        };
        let seconds = match (timeout, rest) {
            (Some(timeout), Some(rest)) => timeout.min(rest),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return Ok(None),
        };
        if seconds.is_nan() {
            return Err(PyValueError::new_err("timeout and deadline must be numbers of seconds"));
        }
        // The clock does not reach some limits, such as infinity.
        let length = Duration::try_from_secs_f64(seconds.max(0.0)).ok();
        let end = length.and_then(|length| Instant::now().checked_add(length));
        Ok(end.map(|end| Deadline { end, seconds, quota: None }))
    }

    /// The same for a call of this interpreter.
    pub(crate) fn with_quota_of(self, interpreter: &Interpreter) -> Self {
        Deadline { quota: interpreter.time_limit(), ..self }
    }

    /// Gives the next step of the call the rest of its time.
    pub(crate) fn limit(&self, interpreter: &mut Interpreter) {
        let rest = self.end.saturating_duration_since(Instant::now());
        interpreter.set_time_limit(Some(self.quota.map_or(rest, |quota| quota.min(rest))));
    }

    /// Restores the limit of the interpreter's quota after the call.
    pub(crate) fn lift(&self, interpreter: &mut Interpreter) {
        interpreter.set_time_limit(self.quota);
    }

    /// The exception for a failed call: [`errors::late`] if its time is over.
    pub(crate) fn explain(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let is_over = Instant::now() >= self.end;
        match errors::is_late(py, &error) {
            Ok(true) if is_over => errors::late(py, self.seconds),
            _ => error,
        }
    }
}
