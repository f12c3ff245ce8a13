//! `arenite config`: the settings in force, and the source of each.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use arenite::config::OnMissing;
use arenite::{Config, DEFAULT_DELEGATE, DEFAULT_PLANNER, NO_DELEGATE, PLUGIN_PATH, Quota, pool};
use arenite_common::join;
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Result};
use crate::config_file::ConfigFile;
use crate::options::{Choice, Common};
use crate::text::{self, Align, DIM, Table};

const NOTES: &str = "\
Later sources replace earlier ones: defaults, the file given with --config, environment variables,
options of the command line. No config file is read unless --config names it.";

/// The variable that limits the CPU delegate's instruction sets.
const ISA: &str = "ARENITE_ISA";

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub common: Common,
}

/// All settings.
#[derive(Serialize)]
struct Report {
    settings: Vec<Setting>,
}

/// A setting, named as in `arenite.toml`.
#[derive(Serialize)]
struct Setting {
    key: String,
    /// The value in the file's notation; empty if nothing is set.
    value: String,
    source: Source,
}

/// The source of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Source {
    Default,
    File { file: PathBuf, line: usize },
    Environment { variable: &'static str },
    Option { option: &'static str },
}

/// Runs the command.
pub(crate) fn config(arguments: &Arguments) -> Result<Answer> {
    let common = &arguments.common;
    let config = common.settings()?;
    let mut report = Report { settings: defaults() };
    if let Some(path) = &common.config {
        report.apply_file(&ConfigFile::read(path)?, &config);
    }
    report.apply_environment();
    report.apply_options(common, &config);
    Answer::new(&report, common.json)
}

/// The settings of an empty file.
fn defaults() -> Vec<Setting> {
    let (config, quota) = (Config::default(), Quota::default());
    let limit = |limit: u64| if limit == u64::MAX { "no limit".to_owned() } else { limit.to_string() };
    let mut all = vec![
        ("plugins.dirs", String::new()),
        ("plugins.paths", String::new()),
        ("plugins.allow", "[\"*\"]".to_owned()),
        ("plugins.strict", config.plugins.strict.to_string()),
        ("plugins.builtin", config.plugins.builtin.to_string()),
        ("planner.use", quoted(DEFAULT_PLANNER)),
        ("planner.preserve_all", config.lifetimes.preserve_all.to_string()),
        ("planner.outputs", quoted("producer")),
    ];
    let techniques = config.techniques;
    all.extend([
        ("memory.views", techniques.views.to_string()),
        ("memory.in_place", techniques.in_place.to_string()),
        ("memory.split", techniques.split.to_string()),
        ("memory.concat", techniques.concat.to_string()),
        ("memory.overlap", techniques.overlap.to_string()),
        ("memory.reorder", techniques.reorder.to_string()),
        ("memory.overwrite_inputs", techniques.overwrite_inputs.to_string()),
        ("delegate[0].use", quoted(DEFAULT_DELEGATE)),
        ("threads.count", pool::threads().to_string()),
        ("tie.caches", config.ties.caches.to_string()),
        ("tie.pairs", String::new()),
        ("quota.bytes", quota.bytes.to_string()),
        ("quota.device_bytes", limit(quota.device_bytes)),
        ("quota.nodes", quota.nodes.to_string()),
        ("quota.depth", quota.depth.to_string()),
        ("quota.calls", quota.calls.to_string()),
        ("quota.time", "no limit".to_owned()),
    ]);
    let setting =
        |(key, value): (&str, String)| Setting { key: key.to_owned(), value, source: Source::Default };
    all.into_iter().map(setting).collect()
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

impl Report {
    /// Replaces a setting, or adds it after the last one of its table.
    fn set(&mut self, key: &str, value: String, source: Source) {
        if let Some(known) = self.settings.iter_mut().find(|setting| setting.key == key) {
            (known.value, known.source) = (value, source);
            return;
        }
        let table = |key: &str| key.split(['.', '[']).next().unwrap_or_default().to_owned();
        let last = self.settings.iter().rposition(|setting| table(&setting.key) == table(key));
        let at = last.map_or(self.settings.len(), |last| last + 1);
        self.settings.insert(at, Setting { key: key.to_owned(), value, source });
    }

    fn apply_file(&mut self, file: &ConfigFile, config: &Config) {
        for entry in &file.entries {
            let source = Source::File { file: file.path.clone(), line: entry.line };
            let value = match entry.key.as_str() {
                "plugins.paths" => paths(&config.plugins.paths),
                _ => entry.value.clone(),
            };
            self.set(&entry.key, value, source);
        }
        // The CPU delegate runs the nodes that the listed delegates leave.
        let named = |name: &str| config.delegates.iter().any(|delegate| delegate.name == name);
        if !config.delegates.is_empty() && !named(DEFAULT_DELEGATE) && !named(NO_DELEGATE) {
            let key = format!("delegate[{}].use", config.delegates.len());
            self.set(&key, quoted(DEFAULT_DELEGATE), Source::Default);
        }
    }

    fn apply_environment(&mut self) {
        for (variable, key) in [(PLUGIN_PATH, "plugins.dirs (further)"), (ISA, "instruction set")] {
            if let Some(value) = std::env::var_os(variable) {
                self.set(key, value.to_string_lossy().into_owned(), Source::Environment { variable });
            }
        }
    }

    fn apply_options(&mut self, common: &Common, config: &Config) {
        let option = |option| Source::Option { option };
        if !common.plugin_dir.is_empty() {
            self.set("plugins.dirs", paths(&config.plugins.dirs), option("--plugin-dir"));
        }
        if let Some(planner) = &common.planner {
            self.settings.retain(|setting| !setting.key.starts_with("planner.options"));
            self.set_choice("planner", planner, "--planner");
        }
        if common.preserve_all {
            self.set("planner.preserve_all", true.to_string(), option("--preserve-all"));
        }
        if !common.delegate.is_empty() {
            self.apply_delegates(common, config);
        }
        if common.require {
            self.set("delegate[0].require", true.to_string(), option("--require"));
        }
        if let Some(threads) = common.threads {
            self.set("threads.count", threads.to_string(), option("--threads"));
        }
        if common.time_limit.is_some() {
            let time = config.quota.time.map_or("no limit".to_owned(), |time| time.to_string());
            self.set("quota.time", time, option("--time-limit"));
        }
    }

    /// Delegates of the command line replace the file's delegates, but keep the settings of the same name.
    fn apply_delegates(&mut self, common: &Common, config: &Config) {
        self.settings.retain(|setting| !setting.key.starts_with("delegate["));
        for (i, choice) in common.delegate.iter().enumerate() {
            self.set_choice(&format!("delegate[{i}]"), choice, "--delegate");
        }
        for (i, delegate) in config.delegates.iter().enumerate() {
            let missing = match delegate.on_missing {
                OnMissing::Error => "error",
                OnMissing::Skip => "skip",
            };
            let source = Source::Option { option: "--delegate" };
            self.set(&format!("delegate[{i}].on_missing"), quoted(missing), source);
        }
    }

    fn set_choice(&mut self, table: &str, choice: &Choice, option: &'static str) {
        self.set(&format!("{table}.use"), quoted(choice.name()), Source::Option { option });
        for (key, value) in choice.options() {
            self.set(&format!("{table}.options.{key}"), value.clone(), Source::Option { option });
        }
    }
}

fn paths(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| quoted(&path.display().to_string())).collect();
    format!("[{}]", join(&shown, ", "))
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => write!(f, "default"),
            Source::File { file, line } => write!(f, "{}:{line}", file.display()),
            Source::Environment { variable } => write!(f, "environment variable {variable}"),
            Source::Option { option } => write!(f, "option {option}"),
        }
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut table =
            Table::new(&[("setting", Align::Left), ("value", Align::Left), ("from", Align::Left)]);
        for Setting { key, value, source } in &self.settings {
            table.row([key.clone(), text::shorten(value, 80), source.to_string()]);
        }
        table.fmt(f)?;
        writeln!(f, "{DIM}  --help explains which source wins{DIM:#}")
    }
}
