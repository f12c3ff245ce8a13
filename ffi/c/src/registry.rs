//! Functions of `arenite/registry.h`. A registry finds and loads plugins once, for any number of interpreters.

use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::path::PathBuf;
use std::ptr;
use std::sync::{Arc, OnceLock};

use arenite::{Config, Registry};

use crate::arguments::{self, out, put, shared, text_at};
use crate::error::{ArError, Result, c_string, guard, guard_value};
use crate::options::ArOptions;
use crate::plugins::ArPlugin;
use crate::report;

/// Plugins that were found and loaded once.
pub struct ArRegistry {
    pub(crate) found: Arc<DescribedRegistry>,
}

/// A registry with descriptions of its plugins. It does not change.
pub(crate) struct DescribedRegistry {
    pub registry: Arc<Registry>,
    pub plugins: Vec<ArPlugin>,
    /// The errors of the plugins that failed to load.
    pub failures: Vec<CString>,
    /// The report on the plugins, created on first use.
    pub json: OnceLock<CString>,
    /// The report on devices, created on first use.
    pub devices: OnceLock<CString>,
}

/// Threads share `DescribedRegistry`, so it must be `Send` and `Sync`.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<DescribedRegistry>();
};

impl DescribedRegistry {
    /// Finds and loads the plugins.
    pub(crate) fn new(config: &Config, handed_over: &Registry) -> Result<Arc<Self>> {
        let mut registry = Registry::new();
        registry.add_handed_over(handed_over)?;
        if config.plugins.builtin {
            // In a program that links the static library, `inventory` may have collected nothing.
            arenite_builtin::register_builtins().iter().try_for_each(|plugin| registry.add_plugin(plugin))?;
        }
        let mut config = config.clone();
        config.plugins.prefix = option_env!("ARENITE_PREFIX").map(PathBuf::from);
        registry.add_discovered(&config)?;
        let registry = Arc::new(registry);
        let (plugins, failures) = (ArPlugin::all(&registry), texts(registry.failures()));
        Ok(Arc::new(DescribedRegistry {
            registry,
            plugins,
            failures,
            json: OnceLock::new(),
            devices: OnceLock::new(),
        }))
    }
}

pub(crate) fn texts(list: &[impl Display]) -> Vec<CString> {
    list.iter().map(|item| c_string(&item.to_string())).collect()
}

/// Finds and loads the plugins that the options name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_new(
    options: *const ArOptions,
    registry: *mut *mut ArRegistry,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `registry` is null or writable, as the header requires.
        let (out, options) = unsafe { (out(registry, "registry")?, options.as_ref()) };
        let found = match options {
            Some(options) => options.find()?,
            None => ArOptions::default().find()?,
        };
        out.give(ArRegistry { found });
        Ok(())
    })
}

/// Frees a registry. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_free(registry: *mut ArRegistry) {
    // SAFETY: `registry` is null or a registry that the caller owns, as the header requires.
    unsafe { arguments::free(registry) };
}

/// Calls `body` with the plugins of a registry. Returns `otherwise` for null.
fn of<R>(registry: *const ArRegistry, otherwise: R, body: impl FnOnce(&DescribedRegistry) -> R) -> R {
    // SAFETY: `registry` is null or a live handle, as the header requires.
    guard_value(otherwise, || Ok(body(&unsafe { shared(registry, "registry") }?.found)))
}

pub(crate) fn plugin_at(found: &DescribedRegistry, index: usize) -> *const ArPlugin {
    found.plugins.get(index).map_or(ptr::null(), ptr::from_ref)
}

/// The number of plugins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_plugin_count(registry: *const ArRegistry) -> usize {
    of(registry, 0, |found| found.plugins.len())
}

/// A plugin; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_plugin(registry: *const ArRegistry, index: usize) -> *const ArPlugin {
    of(registry, ptr::null(), |found| plugin_at(found, index))
}

/// The number of plugins that failed to load.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_failure_count(registry: *const ArRegistry) -> usize {
    of(registry, 0, |found| found.failures.len())
}

/// The error of a plugin that failed to load; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_failure(registry: *const ArRegistry, index: usize) -> *const c_char {
    of(registry, ptr::null(), |found| text_at(&found.failures, index))
}

/// Writes the address of a report on a registry. The report is created on first use.
fn give_once(
    registry: *const ArRegistry,
    json: *mut *const c_char,
    report: impl Fn(&DescribedRegistry) -> (&OnceLock<CString>, fn(&Registry) -> Result<CString>),
) -> *mut ArError {
    guard(|| {
        // SAFETY: `json` is null or writable and `registry` null or a live handle, as the header requires.
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
        // SAFETY: `json` is writable: the first `put` has checked that it is not null.
        unsafe { put(json, "json", report.as_ptr()) }
    })
}

/// Reports the plugins of a registry as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_inspect(
    registry: *const ArRegistry,
    json: *mut *const c_char,
) -> *mut ArError {
    give_once(registry, json, |found| (&found.json, report::plugins))
}

/// Reports the devices of a registry's delegates as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_registry_devices(
    registry: *const ArRegistry,
    json: *mut *const c_char,
) -> *mut ArError {
    give_once(registry, json, |found| (&found.devices, report::devices))
}
