//! What an interpreter found: its plugins, for listings.

use std::ffi::{CString, c_char};
use std::ptr;

use arenite::PluginInfo;

use crate::arguments::shared;
use crate::error::{c_string, guard_value};

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
