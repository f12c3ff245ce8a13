//! Where plugins are, which of them may load, and which op of several serves.

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
        // SAFETY: `path` is null or a string that ends with a null byte, as `# Safety` requires.
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
        // SAFETY: `path` is null or a string that ends with a null byte, as `# Safety` requires.
        options.config.plugins.paths.push(unsafe { text(path, "path") }?.into());
        Ok(())
    })
}

/// Lets plugins load whose ids match a pattern.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_allow_plugins(
    options: *mut ArOptions,
    pattern: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `pattern` is null or a string that ends with a null byte, as `# Safety` requires.
        let pattern = unsafe { text(pattern, "pattern") }?.to_owned();
        options.config.plugins.allow.get_or_insert_default().push(pattern);
        Ok(())
    })
}

/// Makes a plugin that cannot be loaded an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_set_strict(options: *mut ArOptions, strict: bool) -> *mut ArError {
    change(options, |options| {
        options.config.plugins.strict = strict;
        Ok(())
    })
}

/// Uses the plugins that are linked in, or not.
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

/// Prefers a plugin's op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_options_prefer_plugin(
    options: *mut ArOptions,
    op: *const c_char,
    plugin_id: *const c_char,
) -> *mut ArError {
    change(options, |options| {
        // SAFETY: `op` is null or a string that ends with a null byte, as `# Safety` requires.
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
            let message =
                "something is registered with these options: make the registry of them, and set it in others";
            return Err(Failure::new(AR_ERROR_STATE, message));
        }
        // SAFETY: `registry` is null or a live handle, as `# Safety` requires.
        options.found = Some(Arc::clone(&unsafe { shared(registry, "registry") }?.found));
        Ok(())
    })
}
