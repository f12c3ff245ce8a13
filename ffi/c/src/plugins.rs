//! Functions of `arenite/plugins.h`: describe the plugins that were found.

use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::{Arc, OnceLock};

use arenite::abi::ElementTypes;
use arenite::abi::raw::{
    BUILTIN_CUSTOM, OP_BEHIND, OP_IN_PLACE, OP_PART_OF_INPUT, OP_PART_OF_OUTPUT, OP_STATEFUL, OP_VIEW,
};
use arenite::{OpInfo, OpKey, PluginInfo, Registry};

use crate::arguments::{put, shared, text_at};
use crate::error::{ArError, Failure, Result, c_string, guard, guard_value};

/// A plugin of a registry.
pub struct ArPlugin {
    registry: Arc<Registry>,
    /// The index of the plugin in the registry.
    index: usize,
    id: CString,
    version: CString,
    description: CString,
    origin: CString,
    /// The names of the ops, created on first use.
    ops: OnceLock<Vec<CString>>,
    planners: Vec<CString>,
    delegates: Vec<CString>,
}

/// An op that a plugin implements.
#[repr(C)]
pub struct ArOpInfo {
    name: *const c_char,
    element_types: u64,
    builtin_code: i32,
    min_version: i32,
    max_version: i32,
    flags: u32,
}

impl ArPlugin {
    /// Describes all plugins of a registry.
    pub(crate) fn all(registry: &Arc<Registry>) -> Vec<Self> {
        let plugin = |(index, info): (usize, &PluginInfo)| ArPlugin {
            registry: Arc::clone(registry),
            index,
            id: c_string(&info.id),
            version: c_string(&info.version),
            description: c_string(&info.description),
            origin: c_string(&info.origin.to_string()),
            ops: OnceLock::new(),
            planners: info.planners.iter().map(|name| c_string(name)).collect(),
            delegates: info.delegates.iter().map(|name| c_string(name)).collect(),
        };
        registry.plugins().iter().enumerate().map(plugin).collect()
    }

    fn ops(&self) -> &[OpInfo] {
        self.registry.plugins().get(self.index).map_or(&[], |info| &info.ops)
    }

    fn op(&self, index: usize) -> Result<ArOpInfo> {
        let ops = self.ops();
        let names = self.ops.get_or_init(|| ops.iter().map(|op| c_string(&op.key.name())).collect());
        let (Some(op), Some(name)) = (ops.get(index), names.get(index)) else {
            return Err(Failure::argument(format!(
                "op {index} does not exist; the plugin has {}",
                ops.len()
            )));
        };
        let flags = [
            (op.stateful, OP_STATEFUL),
            (op.in_place, OP_IN_PLACE),
            (op.view, OP_VIEW),
            (op.part_of_input, OP_PART_OF_INPUT),
            (op.part_of_output, OP_PART_OF_OUTPUT),
            (op.behind, OP_BEHIND),
        ];
        Ok(ArOpInfo {
            name: name.as_ptr(),
            element_types: op.element_types.as_ref().map_or(0, |types| ElementTypes::of(types).bits()),
            builtin_code: match op.key {
                OpKey::Builtin(code) => code,
                OpKey::Custom(_) => BUILTIN_CUSTOM,
            },
            min_version: op.versions.0,
            max_version: op.versions.1,
            flags: flags.iter().filter(|(has, _)| *has).map(|(_, flag)| flag).sum(),
        })
    }
}

/// Calls `body` with the plugin. Returns `otherwise` for null.
fn of<R>(plugin: *const ArPlugin, otherwise: R, body: impl FnOnce(&ArPlugin) -> R) -> R {
    // SAFETY: `plugin` is null or a live handle, as the header requires.
    guard_value(otherwise, || Ok(body(unsafe { shared(plugin, "plugin") }?)))
}

/// The plugin's id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_id(plugin: *const ArPlugin) -> *const c_char {
    of(plugin, ptr::null(), |plugin| plugin.id.as_ptr())
}

/// The version of the plugin's package.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_version(plugin: *const ArPlugin) -> *const c_char {
    of(plugin, ptr::null(), |plugin| plugin.version.as_ptr())
}

/// A one-line description of the plugin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_description(plugin: *const ArPlugin) -> *const c_char {
    of(plugin, ptr::null(), |plugin| plugin.description.as_ptr())
}

/// The origin of the plugin: a path, or "linked in".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_origin(plugin: *const ArPlugin) -> *const c_char {
    of(plugin, ptr::null(), |plugin| plugin.origin.as_ptr())
}

/// The number of ops that the plugin registers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_op_count(plugin: *const ArPlugin) -> usize {
    of(plugin, 0, |plugin| plugin.ops().len())
}

/// Describes an op that the plugin registers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_op(
    plugin: *const ArPlugin,
    index: usize,
    op: *mut ArOpInfo,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `op` is null or writable, as the header requires.
        unsafe { put(op, "op", shared(plugin, "plugin")?.op(index)?) }
    })
}

/// The number of planners.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_planner_count(plugin: *const ArPlugin) -> usize {
    of(plugin, 0, |plugin| plugin.planners.len())
}

/// The name of a planner; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_planner(plugin: *const ArPlugin, index: usize) -> *const c_char {
    of(plugin, ptr::null(), |plugin| text_at(&plugin.planners, index))
}

/// The number of delegates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_delegate_count(plugin: *const ArPlugin) -> usize {
    of(plugin, 0, |plugin| plugin.delegates.len())
}

/// The name of a delegate; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_plugin_delegate(plugin: *const ArPlugin, index: usize) -> *const c_char {
    of(plugin, ptr::null(), |plugin| text_at(&plugin.delegates, index))
}
