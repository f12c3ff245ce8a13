//! Functions of `arenite/options.h`: the settings of an interpreter, as in `arenite.toml`.

mod delegates;
mod handed_over;
mod limits;
mod planning;
mod plugins;

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arenite::{Config, Interpreter, Model, Registry};

use crate::arguments::{self, exclusive, list, text};
use crate::error::{AR_ERROR_STATE, ArError, Failure, Result, guard, guard_value};
use crate::registry::DescribedRegistry;

pub use delegates::*;
pub use handed_over::*;
pub use limits::*;
pub use planning::*;
pub use plugins::*;

/// Options of an interpreter.
pub struct ArOptions {
    pub(crate) config: Config,
    /// Ops, planners and delegates that the program registered.
    pub(crate) handed_over: Registry,
    /// The registry that was set, which interpreters share.
    found: Option<Arc<DescribedRegistry>>,
    planning_time: Option<Duration>,
    has_default_delegate: bool,
}

/// One option of a planner or a delegate.
#[repr(C)]
pub struct ArOption {
    key: *const c_char,
    value: *const c_char,
}

impl Default for ArOptions {
    fn default() -> Self {
        ArOptions {
            config: Config::default(),
            handed_over: Registry::new(),
            found: None,
            planning_time: None,
            has_default_delegate: true,
        }
    }
}

impl ArOptions {
    /// The registry that was set, or a new one from these options.
    pub(crate) fn find(&self) -> Result<Arc<DescribedRegistry>> {
        match &self.found {
            Some(found) => Ok(Arc::clone(found)),
            None => DescribedRegistry::new(&self.config, &self.handed_over),
        }
    }

    pub(crate) fn build(&self, model: &Model, found: &DescribedRegistry) -> Result<Interpreter> {
        let registry = Arc::clone(&found.registry);
        let mut builder = Interpreter::builder(model).config(&self.config).registry(registry);
        if let Some(limit) = self.planning_time {
            builder = builder.planning_time(limit);
        }
        if !self.has_default_delegate {
            builder = builder.without_default_delegate();
        }
        Ok(builder.build()?)
    }

    /// Fails if a registry was set: ops, planners and delegates must be registered before the registry is created.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.found.is_none() {
            return Ok(());
        }
        let message = "these options already have a registry: register with the options from which the registry is created, before creating it";
        Err(Failure::new(AR_ERROR_STATE, message))
    }
}

/// Creates options with default values.
#[unsafe(no_mangle)]
pub extern "C" fn ar_options_new() -> *mut ArOptions {
    guard_value(std::ptr::null_mut(), || Ok(Box::into_raw(Box::default())))
}

/// Replaces the configuration by that in a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_config_file(
    options: *mut ArOptions,
    path: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `path` is null or a null-terminated string, as the header requires.
        let path = unsafe { text(path, "path") }?;
        let config = Config::from_file(Path::new(path)).map_err(arenite::Error::from)?;
        options.config = config;
        Ok(())
    })
}

/// Replaces the configuration by that in a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_config_text(
    options: *mut ArOptions,
    toml: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `toml` is null or a null-terminated string, as the header requires.
        let toml = unsafe { text(toml, "toml") }?;
        let config = toml.parse::<Config>().map_err(arenite::Error::from)?;
        options.config = config;
        Ok(())
    })
}

/// Sets the number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_threads(options: *mut ArOptions, count: u32) -> *mut ArError {
    change(options, |options| {
        let limit = arenite::config::MAX_THREADS;
        if count as usize > limit {
            return Err(Failure::argument(format!("{count} threads were requested; the maximum is {limit}")));
        }
        options.config.threads = std::num::NonZeroUsize::new(count as usize);
        Ok(())
    })
}

/// Frees options. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_free(options: *mut ArOptions) {
    // SAFETY: `options` is null or options that the caller owns, as the header requires.
    unsafe { arguments::free(options) };
}

pub(crate) fn change(
    options: *mut ArOptions,
    body: impl FnOnce(&mut ArOptions) -> Result<()>,
) -> *mut ArError {
    let mut body = Some(body);
    changed(options, &mut |options| body.take().map_or(Ok(()), |body| body(options)))
}

fn changed(options: *mut ArOptions, body: &mut dyn FnMut(&mut ArOptions) -> Result<()>) -> *mut ArError {
    // SAFETY: `options` is null or a live handle that no other thread uses, as the header requires.
    guard(|| body(unsafe { exclusive(options, "options") }?))
}

/// Copies the keys and values of a list of options.
///
/// # Safety
/// `options` must be null or point to `count` options, and each key and value must be null or point to a
/// null-terminated string.
pub(crate) unsafe fn pairs(
    options: *const ArOption,
    count: usize,
    name: &str,
) -> Result<Vec<(String, String)>> {
    // SAFETY: `options` is null or has the given number of elements, as `# Safety` requires.
    let options = unsafe { list(options, count, name) }?;
    let pair = |(i, option): (usize, &ArOption)| {
        // SAFETY: key and value are null or null-terminated strings, as `# Safety` requires.
        let (key, value) = unsafe {
            (
                text(option.key, &format!("{name}[{i}].key"))?,
                text(option.value, &format!("{name}[{i}].value"))?,
            )
        };
        Ok((key.to_owned(), value.to_owned()))
    };
    options.iter().enumerate().map(pair).collect()
}
