//! What an interpreter is to be made with: an `arenite.toml` in memory.

use std::ffi::c_char;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arenite::config::{DelegateConfig, OnMissing, PlannerConfig};
use arenite::{Config, Interpreter, Model, Registry};

use crate::arguments::{self, exclusive, list, text};
use crate::error::{ArError, Failure, Result, guard, guard_value};

/// Options of an interpreter.
#[derive(Default)]
pub struct ArOptions {
    config: Config,
    /// What the program handed over.
    pub(crate) handed_over: Registry,
}

/// One option of a planner or a delegate.
#[repr(C)]
pub struct ArOption {
    key: *const c_char,
    value: *const c_char,
}

/// `AR_ON_MISSING_*`.
pub type ArOnMissing = u32;
/// A delegate that is not there is an error.
pub const AR_ON_MISSING_ERROR: ArOnMissing = 0;
/// A delegate that is not there is left out.
pub const AR_ON_MISSING_SKIP: ArOnMissing = 1;

impl ArOptions {
    /// Finds the plugins and builds the interpreter.
    pub(crate) fn build(&self, model: &Model) -> Result<Interpreter> {
        let mut registry = Registry::new();
        registry.add_handed_over(&self.handed_over)?;
        if self.config.plugins.builtin {
            // In a program that links the static library `inventory` may have collected nothing.
            arenite_builtin::register_builtins().iter().try_for_each(|plugin| registry.add_plugin(plugin))?;
        }
        let mut config = self.config.clone();
        config.plugins.prefix = option_env!("ARENITE_PREFIX").map(PathBuf::from);
        registry.add_discovered(&config)?;
        Ok(Interpreter::builder(model).config(&config).registry(Arc::new(registry)).build()?)
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
        // SAFETY: the crate's rule.
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
        // SAFETY: the crate's rule.
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

/// Adds a folder with plugins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_add_plugin_dir(
    options: *mut ArOptions,
    path: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: the crate's rule.
        options.config.plugins.dirs.push(unsafe { text(path, "path") }?.into());
        Ok(())
    })
}

/// Adds a plugin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_add_plugin_file(
    options: *mut ArOptions,
    path: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: the crate's rule.
        options.config.plugins.paths.push(unsafe { text(path, "path") }?.into());
        Ok(())
    })
}

/// Chooses the planner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_planner(
    options: *mut ArOptions,
    name: *const c_char,
    planner_options: *const ArOption,
    option_count: usize,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: the crate's rule.
        let mut planner = PlannerConfig::new(unsafe { text(name, "name") }?);
        // SAFETY: the crate's rule.
        planner.options = unsafe { pairs(planner_options, option_count, "planner_options") }?;
        options.config.planner = Some(planner);
        Ok(())
    })
}

/// Adds a delegate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_add_delegate(
    options: *mut ArOptions,
    name: *const c_char,
    on_missing: ArOnMissing,
    delegate_options: *const ArOption,
    option_count: usize,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: the crate's rule.
        let mut delegate = DelegateConfig::new(unsafe { text(name, "name") }?);
        delegate.on_missing = match on_missing {
            AR_ON_MISSING_ERROR => OnMissing::Error,
            AR_ON_MISSING_SKIP => OnMissing::Skip,
            other => {
                return Err(Failure::argument(format!(
                    "argument 'on_missing' is {other}; AR_ON_MISSING_* end at 1"
                )));
            }
        };
        // SAFETY: the crate's rule.
        delegate.options = unsafe { pairs(delegate_options, option_count, "delegate_options") }?;
        options.config.delegates.push(delegate);
        Ok(())
    })
}

/// Limits the memory of an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_bytes(options: *mut ArOptions, bytes: u64) -> *mut ArError {
    change(options, |options| {
        options.config.quota.bytes = Some(bytes);
        Ok(())
    })
}

/// Limits the number of nodes of a model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_nodes(options: *mut ArOptions, nodes: u64) -> *mut ArError {
    change(options, |options| {
        options.config.quota.nodes = Some(nodes);
        Ok(())
    })
}

/// Limits the nesting of subgraphs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_depth(options: *mut ArOptions, depth: u32) -> *mut ArError {
    change(options, |options| {
        options.config.quota.depth = Some(depth);
        Ok(())
    })
}

/// Limits how often subgraphs are run by nodes of others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_quota_calls(options: *mut ArOptions, calls: u64) -> *mut ArError {
    change(options, |options| {
        options.config.quota.calls = Some(calls);
        Ok(())
    })
}

/// Limits the length of one allocate or invoke.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_time_limit(
    options: *mut ArOptions,
    milliseconds: u64,
) -> *mut ArError {
    change(options, |options| {
        options.config.quota.time = (milliseconds > 0).then_some(milliseconds);
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
    // SAFETY: the crate's rule; the header says that options are used by one thread at a time.
    guard(|| body(unsafe { exclusive(options, "options") }?))
}

/// # Safety
/// As [`list`], and both texts of each option as [`text`].
unsafe fn pairs(options: *const ArOption, count: usize, name: &str) -> Result<Vec<(String, String)>> {
    // SAFETY: by the caller.
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
