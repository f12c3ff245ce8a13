//! Registries: plugins that are found once and serve any number of interpreters; and what an interpreter found.

use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::path::PathBuf;
use std::ptr;
use std::sync::{Arc, OnceLock};

use arenite::{Config, Registry};

use crate::arguments::{self, out, shared, text_at};
use crate::error::{ArError, Result, c_string, guard, guard_value};
use crate::interpreter::ArInterpreter;
use crate::options::ArOptions;
use crate::plugin::ArPlugin;

/// Plugins that were found once.
pub struct ArRegistry {
    pub(crate) found: Arc<Found>,
}

/// A registry with its listing. It does not change.
pub(crate) struct Found {
    pub registry: Arc<Registry>,
    plugins: Vec<ArPlugin>,
    /// Texts of the plugins that were not loaded.
    failures: Vec<CString>,
    /// The report, once it was asked for.
    pub json: OnceLock<CString>,
    /// The report of devices, once it was asked for.
    pub devices: OnceLock<CString>,
}

/// Threads share it.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Found>();
};

impl Found {
    /// Finds the plugins.
    pub fn new(config: &Config, handed_over: &Registry) -> Result<Arc<Self>> {
        let mut registry = Registry::new();
        registry.add_handed_over(handed_over)?;
        if config.plugins.builtin {
            // In a program that links the static library `inventory` may have collected nothing.
            arenite_builtin::register_builtins().iter().try_for_each(|plugin| registry.add_plugin(plugin))?;
        }
        let mut config = config.clone();
        config.plugins.prefix = option_env!("ARENITE_PREFIX").map(PathBuf::from);
        registry.add_discovered(&config)?;
        let registry = Arc::new(registry);
        let (plugins, failures) = (ArPlugin::all(&registry), texts(registry.failures()));
        Ok(Arc::new(Found { registry, plugins, failures, json: OnceLock::new(), devices: OnceLock::new() }))
    }
}

fn texts(list: &[impl Display]) -> Vec<CString> {
    list.iter().map(|item| c_string(&item.to_string())).collect()
}

/// Finds the plugins that options name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_new(
    options: *const ArOptions,
    registry: *mut *mut ArRegistry,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `registry` is null or writable, as `# Safety` requires.
        let (out, options) = unsafe { (out(registry, "registry")?, options.as_ref()) };
        let found = match options {
            Some(options) => options.find()?,
            None => ArOptions::default().find()?,
        };
        out.give(ArRegistry { found });
        Ok(())
    })
}

/// Frees a registry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_free(registry: *mut ArRegistry) {
    // SAFETY: null or a registry that the caller owns.
    unsafe { arguments::free(registry) };
}

/// Calls `body` with what a registry found.
fn of<R>(registry: *const ArRegistry, otherwise: R, body: impl FnOnce(&Found) -> R) -> R {
    // SAFETY: `registry` is null or a live handle, as `# Safety` requires.
    guard_value(otherwise, || Ok(body(&unsafe { shared(registry, "registry") }?.found)))
}

/// Calls `body` with what an interpreter found.
fn of_interpreter<R>(interpreter: *const ArInterpreter, otherwise: R, body: impl FnOnce(&Found) -> R) -> R {
    // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
    guard_value(otherwise, || Ok(body(&unsafe { shared(interpreter, "interpreter") }?.found)))
}

fn plugin_at(found: &Found, index: usize) -> *const ArPlugin {
    found.plugins.get(index).map_or(ptr::null(), ptr::from_ref)
}

/// Number of a registry's plugins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_plugin_count(registry: *const ArRegistry) -> usize {
    of(registry, 0, |found| found.plugins.len())
}

/// A plugin, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_plugin(registry: *const ArRegistry, index: usize) -> *const ArPlugin {
    of(registry, ptr::null(), |found| plugin_at(found, index))
}

/// Number of plugins that were not loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_failure_count(registry: *const ArRegistry) -> usize {
    of(registry, 0, |found| found.failures.len())
}

/// Which plugin was not loaded, and why, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_failure(registry: *const ArRegistry, index: usize) -> *const c_char {
    of(registry, ptr::null(), |found| text_at(&found.failures, index))
}

/// Number of an interpreter's plugins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_plugin_count(interpreter: *const ArInterpreter) -> usize {
    of_interpreter(interpreter, 0, |found| found.plugins.len())
}

/// A plugin, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_plugin(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const ArPlugin {
    of_interpreter(interpreter, ptr::null(), |found| plugin_at(found, index))
}

/// Number of plugins that were not loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_failure_count(interpreter: *const ArInterpreter) -> usize {
    of_interpreter(interpreter, 0, |found| found.failures.len())
}

/// Which plugin was not loaded, and why, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_failure(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const c_char {
    of_interpreter(interpreter, ptr::null(), |found| text_at(&found.failures, index))
}

/// Calls `body` with the texts of the delegates that are left out now. Those that were given stay where none was added.
fn left_out<R>(interpreter: *const ArInterpreter, otherwise: R, body: impl FnOnce(&[CString]) -> R) -> R {
    guard_value(otherwise, || {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let mut state = unsafe { shared(interpreter, "interpreter") }?.lock()?;
        let now = texts(&state.interpreter.left_out());
        if now != state.left_out {
            state.left_out = now;
        }
        Ok(body(&state.left_out))
    })
}

/// Number of delegates that were left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_left_out_count(interpreter: *const ArInterpreter) -> usize {
    left_out(interpreter, 0, <[CString]>::len)
}

/// Which delegate was left out, and why, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_left_out(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const c_char {
    left_out(interpreter, ptr::null(), |texts| text_at(texts, index))
}
