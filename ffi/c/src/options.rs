//! What an interpreter is to be made with: an `arenite.toml` in memory.

mod delegates;
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
use crate::registry::Found;

pub use delegates::*;
pub use limits::*;
pub use planning::*;
pub use plugins::*;

/// Options of an interpreter.
pub struct ArOptions {
    pub(crate) config: Config,
    /// What the program handed over.
    pub(crate) handed_over: Registry,
    /// The registry that interpreters share.
    found: Option<Arc<Found>>,
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
    /// The registry that was set, or what these options find.
    pub(crate) fn find(&self) -> Result<Arc<Found>> {
        match &self.found {
            Some(found) => Ok(Arc::clone(found)),
            None => Found::new(&self.config, &self.handed_over),
        }
    }

    pub(crate) fn build(&self, model: &Model, found: &Found) -> Result<Interpreter> {
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

    /// What is handed over goes into the registry that is made of the options.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.found.is_none() {
            return Ok(());
        }
        let message = "these options have a registry: register with the options that it is made of, before";
        Err(Failure::new(AR_ERROR_STATE, message))
    }
}

/// New options, all at their defaults.
#[unsafe(no_mangle)]
pub extern "C" fn ar_options_new() -> *mut ArOptions {
    guard_value(std::ptr::null_mut(), || Ok(Box::into_raw(Box::default())))
}

/// Replaces everything by a config file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_config_file(
    options: *mut ArOptions,
    path: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `path` is null or a string that ends with a null byte, as `# Safety` requires.
        let path = unsafe { text(path, "path") }?;
        let config = Config::from_file(Path::new(path)).map_err(arenite::Error::from)?;
        options.config = config;
        Ok(())
    })
}

/// Replaces everything by the text of a config file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_config_text(
    options: *mut ArOptions,
    toml: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `toml` is null or a string that ends with a null byte, as `# Safety` requires.
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
            return Err(Failure::argument(format!("{count} threads are asked for, the most is {limit}")));
        }
        options.config.threads = std::num::NonZeroUsize::new(count as usize);
        Ok(())
    })
}

/// Frees options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_free(options: *mut ArOptions) {
    // SAFETY: null or options that the caller owns.
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
    // SAFETY: the crate's rule; the header says that options are used by one thread at a time.
    guard(|| body(unsafe { exclusive(options, "options") }?))
}

/// # Safety
/// As [`list`], and both texts of each option as [`text`].
unsafe fn pairs(options: *const ArOption, count: usize, name: &str) -> Result<Vec<(String, String)>> {
    // SAFETY: `options` has as many elements as its count says, as `# Safety` requires.
    let options = unsafe { list(options, count, name) }?;
    let pair = |(i, option): (usize, &ArOption)| {
        // SAFETY: by the caller.
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
