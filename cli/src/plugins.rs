//! `arenite plugins`: lists the plugins found and plugins that failed to load.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use arenite::{Origin, Registry};
use arenite_common::plugins::{LoadFailure, Op, Plugin, Plugins};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::logging;
use crate::options::{ModelFreeOptions, check_dirs};
use crate::text::{self, Align, DIM, HEAD, Table};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Further plugin folders, searched after the --plugin-dir folders
    dirs: Vec<PathBuf>,

    /// List the ops of the plugins that are linked in, too
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    pub common: ModelFreeOptions,
}

/// The report as text for people.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    plugins: Plugins,
    /// Whether the ops of plugins that are linked in are listed.
    #[serde(skip)]
    all: bool,
}

/// Runs the command. Plugins that fail to load are listed. The command fails if they are in a folder given as DIR or if
/// the config file is `strict`.
pub(crate) fn plugins(arguments: &Arguments) -> Result<Answer> {
    let common = &arguments.common.0;
    let mut config = common.settings()?;
    let strict = std::mem::replace(&mut config.plugins.strict, false);
    let at = common.plugin_dir.len();
    check_dirs(&arguments.dirs)?;
    config.plugins.dirs.splice(at..at, arguments.dirs.iter().cloned());
    let registry = Registry::discover(&config)?;
    common.plugin_dir.iter().chain(&arguments.dirs).for_each(|dir| note_empty(&registry, dir));
    let requested = |path: &Path| arguments.dirs.iter().any(|dir| path.parent() == Some(dir));
    let failure = registry.failures().iter().find(|failure| strict || requested(&failure.path));
    let report = Report { plugins: Plugins::of(&registry), all: arguments.all };
    match failure {
        Some(failure) => Answer::failed(&report, common.json, Failure::new(failure.to_string())),
        None => Answer::new(&report, common.json),
    }
}

/// Prints a note if no plugin of a folder was loaded and no load failure explains why.
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
            "{} contains no plugin: none of its .{extension} files exports arenite_plugin_v1",
            dir.display()
        ));
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { plugins: report, all } = self;
        let (own, linked): (Vec<&Plugin>, Vec<&Plugin>) =
            report.plugins.iter().partition(|plugin| plugin.path.is_some());
        for plugin in own {
            show_plugin(f, plugin, true)?;
            writeln!(f)?;
        }
        for plugin in linked {
            show_plugin(f, plugin, *all)?;
            writeln!(f)?;
        }
        if !report.contested_ops.is_empty() {
            writeln!(
                f,
                "{HEAD}offered by several plugins{HEAD:#}{DIM}; the first one that supports a node runs it{DIM:#}"
            )?;
            let mut table = Table::new(&[("op", Align::Left), ("plugins", Align::Left)]);
            for op in &report.contested_ops {
                table.row([named(&op.name, op.custom), text::join(&op.plugins, ", ")]);
            }
            writeln!(f, "{table}")?;
        }
        if !report.failures.is_empty() {
            writeln!(f, "{HEAD}not loaded{HEAD:#}")?;
            for LoadFailure { path, reason } in &report.failures {
                writeln!(f, "  {}\n    {}", text::Visible(path.display()), text::Visible(reason))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "{DIM}searched: {}{DIM:#}", text::join(&report.searched, ", "))
    }
}

/// Shows a plugin, with the list of its ops or only their number.
fn show_plugin(f: &mut fmt::Formatter<'_>, plugin: &Plugin, with_ops: bool) -> fmt::Result {
    let origin = plugin.path.as_ref().map_or("linked in".to_owned(), |path| path.display().to_string());
    writeln!(f, "{HEAD}{} {}{HEAD:#}  ABI {}, {origin}", plugin.id, plugin.version, plugin.abi)?;
    if let Some(sha256) = &plugin.sha256 {
        writeln!(f, "  SHA-256 {sha256}")?;
    }
    if !plugin.description.is_empty() {
        writeln!(f, "  {}", text::Visible(&plugin.description))?;
    }
    for (what, names) in [("planners", &plugin.planners), ("delegates", &plugin.delegates)] {
        if !names.is_empty() {
            writeln!(f, "  {what}: {}", text::Visible(text::join(names, ", ")))?;
        }
    }
    if plugin.ops.is_empty() {
        return Ok(());
    }
    if !with_ops {
        return writeln!(f, "  {}; --all lists them", text::count(plugin.ops.len(), "op"));
    }
    writeln!(f, "  {}", text::count(plugin.ops.len(), "op"))?;
    let mut table =
        Table::new(&[("op", Align::Left), ("versions", Align::Left), ("element types", Align::Left)]);
    for (name, ops) in by_name(&plugin.ops) {
        for (i, op) in ops.iter().enumerate() {
            let name = if i == 0 { name.clone() } else { String::new() };
            let versions = match (op.min_version, op.max_version) {
                (low, high) if low == high => low.to_string(),
                (low, high) => format!("{low}-{high}"),
            };
            let types = op.element_types.as_ref().map_or("any".to_owned(), |types| text::join(types, " "));
            table.row([name, versions, types]);
        }
    }
    table.fmt(f)
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
