//! Options for plugins: where they are, which may be loaded, and which plugin's op is preferred.

use std::ffi::c_char;
use std::sync::Arc;

use super::{ArOptions, change};
use crate::arguments::{shared, text};
use crate::error::{AR_ERROR_STATE, ArError, Failure};
use crate::registry::ArRegistry;

/// Adds a folder with plugins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_add_plugin_dir(
    options: *mut ArOptions,
    path: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `path` is null or a null-terminated string, as the header requires.
        options.config.plugins.dirs.push(unsafe { text(path, "path") }?.into());
        Ok(())
    })
}

/// Adds a plugin file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_add_plugin_file(
    options: *mut ArOptions,
    path: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `path` is null or a null-terminated string, as the header requires.
        options.config.plugins.paths.push(unsafe { text(path, "path") }?.into());
        Ok(())
    })
}

/// Permits plugins whose ids match a pattern to be loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_allow_plugins(
    options: *mut ArOptions,
    pattern: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `pattern` is null or a null-terminated string, as the header requires.
        let pattern = unsafe { text(pattern, "pattern") }?.to_owned();
        options.config.plugins.allow.get_or_insert_default().push(pattern);
        Ok(())
    })
}

/// Sets whether a plugin that fails to load is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_strict(options: *mut ArOptions, strict: bool) -> *mut ArError {
    change(options, |options| {
        options.config.plugins.strict = strict;
        Ok(())
    })
}

/// Sets whether the plugins that are linked into the library are used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_builtin_plugins(
    options: *mut ArOptions,
    builtin: bool,
) -> *mut ArError {
    change(options, |options| {
        options.config.plugins.builtin = builtin;
        Ok(())
    })
}

/// Prefers the implementation of an op in one plugin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_prefer_plugin(
    options: *mut ArOptions,
    op: *const c_char,
    plugin_id: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `op` is null or a null-terminated string, as the header requires.
        let (op, id) = unsafe { (text(op, "op")?, text(plugin_id, "plugin_id")?) };
        options.config.ops.entry(op.to_owned()).or_default().prefer.push(id.to_owned());
        Ok(())
    })
}

/// Uses the plugins of a registry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_registry(
    options: *mut ArOptions,
    registry: *const ArRegistry,
) -> *mut ArError {
    change(options, |options| {
        if !options.handed_over.plugins().is_empty() {
            let message = "these options have registered ops, planners or delegates: create the registry from them, and set it in other options";
            return Err(Failure::new(AR_ERROR_STATE, message));
        }
        // SAFETY: `registry` is null or a live handle, as the header requires.
        options.found = Some(Arc::clone(&unsafe { shared(registry, "registry") }?.found));
        Ok(())
    })
}
