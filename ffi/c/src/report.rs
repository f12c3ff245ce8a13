//! Reports: the JSON that the program prints with `--json`.

use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::ptr;

use arenite_common::inspection::Inspection;
use arenite_common::plugins::Plugins;
use arenite_common::profile;

use crate::arguments::{put, shared};
use crate::error::{AR_ERROR_FAILED, ArError, Failure, Result, c_string, guard};
use crate::interpreter::{ArInterpreter, State};
use crate::profile::not_started;
use crate::registry::ArRegistry;

fn text<E: Display>(json: Result<String, E>) -> Result<CString> {
    let json = json.map_err(|error| Failure::new(AR_ERROR_FAILED, format!("JSON: {error}")))?;
    Ok(c_string(&json))
}

/// Gives a report, which stays until the next one.
fn give(
    interpreter: *const ArInterpreter,
    json: *mut *const c_char,
    report: &mut dyn FnMut(&ArInterpreter, &State) -> Result<CString>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let interpreter = unsafe {
            put(json, "json", ptr::null())?;
            shared(interpreter, "interpreter")?
        };
        let mut state = interpreter.lock()?;
        state.json = report(interpreter, &state)?;
        // SAFETY: as above.
        unsafe { put(json, "json", state.json.as_ptr()) }
    })
}

/// What is in the model, who runs it, and where its tensors lie.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_inspect(
    interpreter: *mut ArInterpreter,
    json: *mut *const c_char,
) -> *mut ArError {
    give(interpreter, json, &mut |interpreter, state| {
        text(Inspection::of(&state.interpreter, interpreter.path.as_deref()).json())
    })
}

/// Time per node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_profile_json(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    json: *mut *const c_char,
) -> *mut ArError {
    give(interpreter, json, &mut |_, state| {
        let profile = state.interpreter.profile_of(subgraph).ok_or_else(not_started)?;
        text(profile::json(&profile::op_times(profile)))
    })
}

/// The plugins of a registry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_inspect(
    registry: *const ArRegistry,
    json: *mut *const c_char,
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let found = unsafe {
            put(json, "json", ptr::null())?;
            &shared(registry, "registry")?.found
        };
        let report = match found.json.get() {
            Some(known) => known,
            None => {
                let made = text(Plugins::of(&found.registry).json())?;
                found.json.get_or_init(|| made)
            }
        };
        // SAFETY: as above.
        unsafe { put(json, "json", report.as_ptr()) }
    })
}
