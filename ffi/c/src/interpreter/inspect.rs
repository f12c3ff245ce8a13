//! Describes an interpreter: plugins, plugins that failed to load, skipped delegates, and everything as JSON.

use std::ffi::{CString, c_char};
use std::ptr;

use super::{ArInterpreter, State};
use crate::arguments::{put, shared, text_at};
use crate::error::{ArError, Result, guard, guard_value};
use crate::plugins::ArPlugin;
use crate::registry::{DescribedRegistry, plugin_at, texts};
use crate::report;

/// Calls `body` with the plugins of an interpreter. Returns `otherwise` for null.
fn of<R>(interpreter: *const ArInterpreter, otherwise: R, body: impl FnOnce(&DescribedRegistry) -> R) -> R {
    // SAFETY: `interpreter` is null or a live handle, as the header requires.
    guard_value(otherwise, || Ok(body(&unsafe { shared(interpreter, "interpreter") }?.found)))
}

/// The number of plugins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_plugin_count(interpreter: *const ArInterpreter) -> usize {
    of(interpreter, 0, |found| found.plugins.len())
}

/// A plugin; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_plugin(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const ArPlugin {
    of(interpreter, ptr::null(), |found| plugin_at(found, index))
}

/// The number of plugins that failed to load.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_failure_count(interpreter: *const ArInterpreter) -> usize {
    of(interpreter, 0, |found| found.failures.len())
}

/// The error of a plugin that failed to load; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_failure(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const c_char {
    of(interpreter, ptr::null(), |found| text_at(&found.failures, index))
}

/// Calls `body` with the reasons of the delegates that are skipped now. Texts that were returned before remain valid
/// until the list changes.
fn left_out<R>(interpreter: *const ArInterpreter, otherwise: R, body: impl FnOnce(&[CString]) -> R) -> R {
    guard_value(otherwise, || {
        // SAFETY: `interpreter` is null or a live handle, as the header requires.
        let mut state = unsafe { shared(interpreter, "interpreter") }?.lock()?;
        let now = texts(&state.interpreter.left_out());
        if now != state.left_out {
            state.left_out = now;
        }
        Ok(body(&state.left_out))
    })
}

/// The number of skipped delegates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_left_out_count(interpreter: *const ArInterpreter) -> usize {
    left_out(interpreter, 0, <[CString]>::len)
}

/// Which delegate was skipped and why; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_left_out(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const c_char {
    left_out(interpreter, ptr::null(), |texts| text_at(texts, index))
}

/// Writes the address of a report, which is valid until the next one.
pub(crate) fn give_report(
    interpreter: *const ArInterpreter,
    json: *mut *const c_char,
    report: &mut dyn FnMut(&ArInterpreter, &mut State) -> Result<CString>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `json` is null or writable and `interpreter` null or a live handle, as the header requires.
        let interpreter = unsafe {
            put(json, "json", ptr::null())?;
            shared(interpreter, "interpreter")?
        };
        let mut state = interpreter.lock()?;
        let text = report(interpreter, &mut state)?;
        state.json = text;
        // SAFETY: `json` is writable: the first `put` has checked that it is not null.
        unsafe { put(json, "json", state.json.as_ptr()) }
    })
}

/// Reports the contents of the model, which delegate or kernel runs each node, and the placement of tensors, as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_inspect(
    interpreter: *mut ArInterpreter,
    json: *mut *const c_char,
) -> *mut ArError {
    give_report(interpreter, json, &mut |interpreter, state| {
        report::inspection(&state.interpreter, interpreter.path.as_deref())
    })
}

/// Reports the partitions that delegates would have, as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_preview_delegates(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    json: *mut *const c_char,
) -> *mut ArError {
    give_report(interpreter, json, &mut |_, state| {
        report::previews(state.interpreter.preview_delegates(subgraph)?)
    })
}
