//! What an interpreter found, for listings: its plugins, those that were not loaded, delegates that were left out.

use std::ffi::{CString, c_char};
use std::ptr;

use arenite::PluginInfo;

use crate::arguments::shared;
use crate::error::{c_string, guard_value};
use crate::interpreter::ArInterpreter;

/// A plugin of an interpreter.
pub struct ArPlugin {
    id: CString,
    version: CString,
    origin: CString,
    ops: usize,
    planners: usize,
    delegates: usize,
}

impl ArPlugin {
    pub(crate) fn new(info: &PluginInfo) -> Self {
        ArPlugin {
            id: c_string(&info.id),
            version: c_string(&info.version),
            origin: c_string(&info.origin.to_string()),
            ops: info.ops.len(),
            planners: info.planners.len(),
            delegates: info.delegates.len(),
        }
    }
}

/// The plugin's id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_id(plugin: *const ArPlugin) -> *const c_char {
    // SAFETY: the crate's rule.
    guard_value(ptr::null(), || Ok(unsafe { shared(plugin, "plugin") }?.id.as_ptr()))
}

/// The version of the plugin's package.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_version(plugin: *const ArPlugin) -> *const c_char {
    // SAFETY: the crate's rule.
    guard_value(ptr::null(), || Ok(unsafe { shared(plugin, "plugin") }?.version.as_ptr()))
}

/// Where the plugin came from.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_origin(plugin: *const ArPlugin) -> *const c_char {
    // SAFETY: the crate's rule.
    guard_value(ptr::null(), || Ok(unsafe { shared(plugin, "plugin") }?.origin.as_ptr()))
}

/// Number of op registrations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_op_count(plugin: *const ArPlugin) -> usize {
    // SAFETY: the crate's rule.
    guard_value(0, || Ok(unsafe { shared(plugin, "plugin") }?.ops))
}

/// Number of planners.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_planner_count(plugin: *const ArPlugin) -> usize {
    // SAFETY: the crate's rule.
    guard_value(0, || Ok(unsafe { shared(plugin, "plugin") }?.planners))
}

/// Number of delegates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_delegate_count(plugin: *const ArPlugin) -> usize {
    // SAFETY: the crate's rule.
    guard_value(0, || Ok(unsafe { shared(plugin, "plugin") }?.delegates))
}

/// Number of plugins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_plugin_count(interpreter: *const ArInterpreter) -> usize {
    // SAFETY: the crate's rule.
    guard_value(0, || Ok(unsafe { shared(interpreter, "interpreter") }?.plugins.len()))
}

/// A plugin, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_plugin(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const ArPlugin {
    guard_value(ptr::null(), || {
        // SAFETY: the crate's rule.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        Ok(interpreter.plugins.get(index).map_or(ptr::null(), ptr::from_ref))
    })
}

/// Number of plugins that were not loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_failure_count(interpreter: *const ArInterpreter) -> usize {
    // SAFETY: the crate's rule.
    guard_value(0, || Ok(unsafe { shared(interpreter, "interpreter") }?.failures.len()))
}

/// Which plugin was not loaded, and why, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_failure(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const c_char {
    guard_value(ptr::null(), || {
        // SAFETY: the crate's rule.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        Ok(interpreter.failures.get(index).map_or(ptr::null(), |text| text.as_ptr()))
    })
}

/// Number of delegates that were left out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_left_out_count(interpreter: *const ArInterpreter) -> usize {
    guard_value(0, || {
        // SAFETY: the crate's rule.
        Ok(unsafe { shared(interpreter, "interpreter") }?.lock()?.left_out.len())
    })
}

/// Which delegate was left out, and why, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_left_out(
    interpreter: *const ArInterpreter,
    index: usize,
) -> *const c_char {
    guard_value(ptr::null(), || {
        // SAFETY: the crate's rule.
        let state = unsafe { shared(interpreter, "interpreter") }?.lock()?;
        Ok(state.left_out.get(index).map_or(ptr::null(), |text| text.as_ptr()))
    })
}
