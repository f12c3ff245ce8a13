//! `arenite plugins`: what was found where, and what failed to load.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use arenite::{OpInfo, Origin, Registry};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::logging;
use crate::options::{Common, check_dirs};
use crate::text::{self, Align, DIM, HEAD, Table};

#[derive(Args)]
pub struct Arguments {
    /// Folders to search as well, after those of --plugin-dir
    dirs: Vec<PathBuf>,

    #[command(flatten)]
    pub common: Common,
}

#[derive(Serialize)]
struct Report {
    plugins: Vec<Plugin>,
    /// Ops that several plugins offer.
    contested_ops: Vec<ContestedOp>,
    failures: Vec<LoadFailure>,
    /// Where plugins were looked for, in this order.
    searched: Vec<String>,
}

#[derive(Serialize)]
struct Plugin {
    id: String,
    version: String,
    description: String,
    /// The library; null if it is linked in.
    path: Option<PathBuf>,
    abi: String,
    ops: Vec<Op>,
    planners: Vec<String>,
    delegates: Vec<String>,
}

#[derive(Serialize)]
struct Op {
    name: String,
    custom: bool,
    min_version: i32,
    max_version: i32,
    /// Null: any.
    element_types: Option<Vec<&'static str>>,
    /// An output may overwrite an input, or have its bytes, for some nodes at least.
    in_place: bool,
    view: bool,
    part_of_input: bool,
    part_of_output: bool,
    behind: bool,
    /// The result depends on more than the inputs.
    stateful: bool,
}

#[derive(Serialize)]
struct ContestedOp {
    name: String,
    custom: bool,
    /// Ids, best first: the first one serves.
    plugins: Vec<String>,
}

#[derive(Serialize)]
struct LoadFailure {
    path: PathBuf,
    reason: String,
}

/// Runs the command. Plugins that cannot be loaded are part of the answer, and a failure only if the config file is
/// `strict`.
pub fn plugins(arguments: &Arguments) -> Result<Answer> {
    let common = &arguments.common;
    let mut config = common.settings()?;
    let strict = std::mem::replace(&mut config.plugins.strict, false);
    let at = common.plugin_dir.len();
    check_dirs(&arguments.dirs)?;
    config.plugins.dirs.splice(at..at, arguments.dirs.iter().cloned());
    let registry = Registry::discover(&config)?;
    common.plugin_dir.iter().chain(&arguments.dirs).for_each(|dir| note_empty(&registry, dir));
    let failure = registry.failures().iter().find(|_| strict);
    let report = Report {
        plugins: registry.plugins().iter().map(plugin).collect(),
        contested_ops: registry.contested_ops().into_iter().map(contested).collect(),
        failures: registry
            .failures()
            .iter()
            .map(|f| LoadFailure { path: f.path.clone(), reason: f.reason.to_string() })
            .collect(),
        searched: registry.searched().to_vec(),
    };
    match failure {
        Some(failure) => Answer::failed(&report, common.json, Failure::new(failure.to_string())),
        None => Answer::new(&report, common.json),
    }
}

/// Says so if nothing of a folder was loaded, and nothing else tells why.
fn note_empty(registry: &Registry, dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok()?.path().canonicalize().ok()).collect();
    let loaded = registry.plugins().iter().any(|info| match &info.origin {
        Origin::File(path) => files.contains(path),
        Origin::Static | Origin::Program => false,
    });
    if !loaded && !registry.failures().iter().any(|failure| failure.path.parent() == Some(dir)) {
        let extension = std::env::consts::DLL_EXTENSION;
        logging::note(format_args!(
            "{} has no plugin: no .{extension} file in it exports arenite_plugin_v1",
            dir.display()
        ));
    }
}

fn plugin(info: &arenite::PluginInfo) -> Plugin {
    let mut ops: Vec<Op> = info.ops.iter().map(op).collect();
    ops.sort_by(|a, b| (a.custom, &a.name, a.min_version).cmp(&(b.custom, &b.name, b.min_version)));
    Plugin {
        id: info.id.clone(),
        version: info.version.clone(),
        description: info.description.clone(),
        path: match &info.origin {
            Origin::Static | Origin::Program => None,
            Origin::File(path) => Some(path.clone()),
        },
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

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plugins.iter().try_for_each(|plugin| writeln!(f, "{plugin}"))?;
        if !self.contested_ops.is_empty() {
            writeln!(
                f,
                "{HEAD}offered by several plugins{HEAD:#}{DIM}, of which the first serves what it can{DIM:#}"
            )?;
            let mut table = Table::new(&[("op", Align::Left), ("plugins", Align::Left)]);
            for op in &self.contested_ops {
                table.row([named(&op.name, op.custom), text::join(&op.plugins, ", ")]);
            }
            writeln!(f, "{table}")?;
        }
        if !self.failures.is_empty() {
            writeln!(f, "{HEAD}not loaded{HEAD:#}")?;
            for LoadFailure { path, reason } in &self.failures {
                writeln!(f, "  {}\n    {reason}", path.display())?;
            }
            writeln!(f)?;
        }
        writeln!(f, "{DIM}searched: {}{DIM:#}", text::join(&self.searched, ", "))
    }
}

impl Display for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = self.path.as_ref().map_or("linked in".to_owned(), |path| path.display().to_string());
        writeln!(f, "{HEAD}{} {}{HEAD:#}  ABI {}, {origin}", self.id, self.version, self.abi)?;
        if !self.description.is_empty() {
            writeln!(f, "  {}", self.description)?;
        }
        for (what, names) in [("planners", &self.planners), ("delegates", &self.delegates)] {
            if !names.is_empty() {
                writeln!(f, "  {what}: {}", text::join(names, ", "))?;
            }
        }
        if self.ops.is_empty() {
            return Ok(());
        }
        writeln!(f, "  {}", text::count(self.ops.len(), "op"))?;
        let mut table =
            Table::new(&[("op", Align::Left), ("versions", Align::Left), ("element types", Align::Left)]);
        for (name, ops) in by_name(&self.ops) {
            for (i, op) in ops.iter().enumerate() {
                let name = if i == 0 { name.clone() } else { String::new() };
                let versions = match (op.min_version, op.max_version) {
                    (low, high) if low == high => low.to_string(),
                    (low, high) => format!("{low}-{high}"),
                };
                let types =
                    op.element_types.as_ref().map_or("any".to_owned(), |types| text::join(types, " "));
                table.row([name, versions, types]);
            }
        }
        table.fmt(f)
    }
}

fn by_name(ops: &[Op]) -> BTreeMap<String, Vec<&Op>> {
    let mut groups: BTreeMap<String, Vec<&Op>> = BTreeMap::new();
    for op in ops {
        groups.entry(named(&op.name, op.custom)).or_default().push(op);
    }
    groups
}

fn named(op: &str, custom: bool) -> String {
    if custom { format!("{op} (custom)") } else { op.to_owned() }
}
