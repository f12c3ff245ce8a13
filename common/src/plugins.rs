//! What was found where, and what failed to load.

use std::path::PathBuf;

use arenite::{OpInfo, Origin, Registry};
use serde::Serialize;

use crate::in_order;

/// Plugins, what they offer, and what was not loaded.
#[derive(Serialize)]
pub struct Plugins {
    /// Those that were found.
    pub plugins: Vec<Plugin>,
    /// Ops that several plugins offer.
    pub contested_ops: Vec<ContestedOp>,
    /// What was not loaded.
    pub failures: Vec<LoadFailure>,
    /// Where plugins were looked for, in this order.
    pub searched: Vec<String>,
}

/// A plugin.
#[derive(Serialize)]
pub struct Plugin {
    /// Its id.
    pub id: String,
    /// The version of its package.
    pub version: String,
    /// One line.
    pub description: String,
    /// The library; null if it is linked in.
    pub path: Option<PathBuf>,
    /// The SHA-256 of the library, for `[plugins] sha256`; null if it is linked in, or can no longer be read.
    pub sha256: Option<String>,
    /// The version of the contract.
    pub abi: String,
    /// Its ops.
    pub ops: Vec<Op>,
    /// Names of its planners.
    pub planners: Vec<String>,
    /// Names of its delegates.
    pub delegates: Vec<String>,
}

/// An op that a plugin serves.
#[derive(Serialize)]
pub struct Op {
    /// Its name.
    pub name: String,
    /// Whether it is a custom op.
    pub custom: bool,
    /// The lowest version that it serves.
    pub min_version: i32,
    /// The highest one.
    pub max_version: i32,
    /// Null: any.
    pub element_types: Option<Vec<&'static str>>,
    /// An output may overwrite an input, or have its bytes, for some nodes at least.
    pub in_place: bool,
    /// An output may have the bytes of an input.
    pub view: bool,
    /// An output may be a part of an input.
    pub part_of_input: bool,
    /// An input may be made as a part of an output.
    pub part_of_output: bool,
    /// An output may follow an input as it is read.
    pub behind: bool,
    /// The result depends on more than the inputs.
    pub stateful: bool,
}

/// An op that several plugins offer.
#[derive(Serialize)]
pub struct ContestedOp {
    /// Its name.
    pub name: String,
    /// Whether it is a custom op.
    pub custom: bool,
    /// Ids, best first: the first one serves.
    pub plugins: Vec<String>,
}

/// A plugin or a folder that was not loaded.
#[derive(Serialize)]
pub struct LoadFailure {
    /// Where it is.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

impl Plugins {
    /// Those of a registry.
    pub fn of(registry: &Registry) -> Self {
        Plugins {
            plugins: registry.plugins().iter().map(plugin).collect(),
            contested_ops: registry.contested_ops().into_iter().map(contested).collect(),
            failures: registry
                .failures()
                .iter()
                .map(|f| LoadFailure { path: f.path.clone(), reason: f.reason.to_string() })
                .collect(),
            searched: registry.searched().to_vec(),
        }
    }

    /// As `arenite plugins --json` prints it.
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
        abi: format!("{}.{}", info.abi.0, info.abi.1),
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
