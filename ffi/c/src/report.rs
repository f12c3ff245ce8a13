//! Reports: the JSON that the program prints with `--json`.

use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::OnceLock;

use arenite::Registry;

use crate::arguments::{put, shared};
use crate::error::{ArError, Result, guard};
use crate::interpreter::{ArInterpreter, State};
use crate::profile::not_started;
use crate::registry::{ArRegistry, Found};

#[cfg(not(feature = "report"))]
use absent::{devices, inspection, plugins, profile};
#[cfg(feature = "report")]
use made::{devices, inspection, plugins, profile};

/// The reports.
#[cfg(feature = "report")]
mod made {
    use std::ffi::CString;
    use std::fmt::Display;
    use std::path::Path;

    use arenite::{Interpreter, Profile, Registry};
    use arenite_common::devices::Devices;
    use arenite_common::inspection::Inspection;
    use arenite_common::plugins::Plugins;
    use arenite_common::profile::{json, op_times};

    use crate::error::{AR_ERROR_FAILED, Failure, Result, c_string};

    fn text<E: Display>(json: std::result::Result<String, E>) -> Result<CString> {
        let json = json.map_err(|error| Failure::new(AR_ERROR_FAILED, format!("JSON: {error}")))?;
        Ok(c_string(&json))
    }

    pub fn inspection(interpreter: &Interpreter, path: Option<&Path>) -> Result<CString> {
        text(Inspection::of(interpreter, path).json())
    }

    pub fn plugins(registry: &Registry) -> Result<CString> {
        text(Plugins::of(registry).json())
    }

    pub fn devices(registry: &Registry) -> Result<CString> {
        text(Devices::of(registry).json())
    }

    pub fn profile(profile: &Profile) -> Result<CString> {
        text(json(&op_times(profile)))
    }
}

/// What stands for them where the feature `report` is off.
#[cfg(not(feature = "report"))]
mod absent {
    use std::ffi::CString;
    use std::path::Path;

    use arenite::{Interpreter, Profile, Registry};

    use crate::error::{AR_ERROR_UNSUPPORTED, Failure, Result};

    fn absent() -> Result<CString> {
        let message =
            "this library was built without reports; ffi/c/install.sh PREFIX --features report has them";
        Err(Failure::new(AR_ERROR_UNSUPPORTED, message))
    }

    pub fn inspection(_: &Interpreter, _: Option<&Path>) -> Result<CString> {
        absent()
    }

    pub fn plugins(_: &Registry) -> Result<CString> {
        absent()
    }

    pub fn devices(_: &Registry) -> Result<CString> {
        absent()
    }

    pub fn profile(_: &Profile) -> Result<CString> {
        absent()
    }
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
        inspection(&state.interpreter, interpreter.path.as_deref())
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
        profile(state.interpreter.profile_of(subgraph).ok_or_else(not_started)?)
    })
}

/// Gives a report of a registry, which is made once.
fn give_once(
    registry: *const ArRegistry,
    json: *mut *const c_char,
    report: impl Fn(&Found) -> (&OnceLock<CString>, fn(&Registry) -> Result<CString>),
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let found = unsafe {
            put(json, "json", ptr::null())?;
            &shared(registry, "registry")?.found
        };
        let (known, make) = report(found);
        let report = match known.get() {
            Some(known) => known,
            None => {
                let made = make(&found.registry)?;
                known.get_or_init(|| made)
            }
        };
        // SAFETY: as above.
        unsafe { put(json, "json", report.as_ptr()) }
    })
}

/// The plugins of a registry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_inspect(
    registry: *const ArRegistry,
    json: *mut *const c_char,
) -> *mut ArError {
    give_once(registry, json, |found| (&found.json, plugins))
}

/// The devices of a registry's delegates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_devices(
    registry: *const ArRegistry,
    json: *mut *const c_char,
) -> *mut ArError {
    give_once(registry, json, |found| (&found.devices, devices))
}
