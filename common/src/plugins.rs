//! The plugins that were found, and those that failed to load.

use std::path::PathBuf;

use arenite::{OpInfo, Origin, Registry};
use serde::Serialize;

use crate::in_order;

/// The plugins, their contents, and load failures.
#[derive(Serialize)]
pub struct Plugins {
    /// The plugins that were loaded.
    pub plugins: Vec<Plugin>,
    /// Ops that several plugins offer.
    pub contested_ops: Vec<ContestedOp>,
    /// Plugins and folders that failed to load.
    pub failures: Vec<LoadFailure>,
    /// The places that were searched for plugins, in order.
    pub searched: Vec<String>,
}

/// A loaded plugin.
#[derive(Serialize)]
pub struct Plugin {
    /// Id of the plugin.
    pub id: String,
    /// Version of its package.
    pub version: String,
    /// A description in one line.
    pub description: String,
    /// Path of the library; null if the plugin is linked in.
    pub path: Option<PathBuf>,
    /// The SHA-256 of the library, for `[plugins] sha256`; null if the plugin is linked in or the file can no longer be
    /// read.
    pub sha256: Option<String>,
    /// Version of the plugin ABI.
    pub abi: String,
    /// The ops it offers.
    pub ops: Vec<Op>,
    /// Names of its planners.
    pub planners: Vec<String>,
    /// Names of its delegates.
    pub delegates: Vec<String>,
}

/// An op that a plugin offers.
#[derive(Serialize)]
pub struct Op {
    /// Name of the op.
    pub name: String,
    /// Whether it is a custom op.
    pub custom: bool,
    /// Lowest supported version of the op.
    pub min_version: i32,
    /// Highest supported version of the op.
    pub max_version: i32,
    /// Supported element types; null if any.
    pub element_types: Option<Vec<&'static str>>,
    /// For some nodes at least, an output may overwrite an input or share its bytes.
    pub in_place: bool,
    /// An output may share all bytes of an input.
    pub view: bool,
    /// An output may be a part of an input.
    pub part_of_input: bool,
    /// An input may be computed as a part of an output.
    pub part_of_output: bool,
    /// An output may overwrite an input while the input is still being read.
    pub behind: bool,
    /// The result depends on more than the inputs.
    pub stateful: bool,
}

/// An op that several plugins offer.
#[derive(Serialize)]
pub struct ContestedOp {
    /// Name of the op.
    pub name: String,
    /// Whether it is a custom op.
    pub custom: bool,
    /// Ids of the plugins, best first. The first one is used.
    pub plugins: Vec<String>,
}

/// A plugin or folder that failed to load.
#[derive(Serialize)]
pub struct LoadFailure {
    /// Path of the library or folder.
    pub path: PathBuf,
    /// Why it failed to load.
    pub reason: String,
}

impl Plugins {
    /// Lists the plugins of a registry.
    pub fn of(registry: &Registry) -> Self {
        Plugins {
            plugins: registry.plugins().iter().map(plugin).collect(),
            contested_ops: registry.contested_ops().into_iter().map(contested).collect(),
            failures: registry
                .failures()
                .iter()
                .map(|f| LoadFailure { path: f.path.clone(), reason: f.reason_without_path() })
                .collect(),
            searched: registry.searched().to_vec(),
        }
    }

    /// The JSON that `arenite plugins --json` prints.
    ///
    /// # Errors
    /// A path is not UTF-8.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

fn plugin(info: &arenite::PluginInfo) -> Plugin {
    let ops = in_order(info.ops.iter().map(op), |a, b| {
        (a.custom, &a.name, a.min_version).cmp(&(b.custom, &b.name, b.min_version))
    });
    Plugin {
        id: info.id.clone(),
        version: info.version.clone(),
        description: info.description.clone(),
        path: match &info.origin {
            Origin::Static | Origin::Program => None,
            Origin::File(path) => Some(path.clone()),
        },
        sha256: info.sha256().and_then(Result::ok),
        abi: info.abi.to_string(),
        ops,
        planners: info.planners.clone(),
        delegates: info.delegates.clone(),
    }
}

fn contested(op: arenite::ContestedOp) -> ContestedOp {
    ContestedOp {
        name: op.key.name(),
        custom: matches!(op.key, arenite::OpKey::Custom(_)),
        plugins: op.plugins,
    }
}

fn op(info: &OpInfo) -> Op {
    Op {
        name: info.key.name(),
        custom: matches!(info.key, arenite::OpKey::Custom(_)),
        min_version: info.versions.0,
        max_version: info.versions.1,
        element_types: info.element_types.as_ref().map(|types| types.iter().map(|ty| ty.name()).collect()),
        in_place: info.in_place,
        view: info.view,
        part_of_input: info.part_of_input,
        part_of_output: info.part_of_output,
        behind: info.behind,
        stateful: info.stateful,
    }
}
