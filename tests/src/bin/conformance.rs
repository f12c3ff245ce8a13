//! Runs conformance cases: `conformance PATH… [--delegate NAME] [--ops T1] [--filter PART] …`.
//!
//! Exit status: 0 if all cases passed, 1 if one failed, 2 after a usage error or if no case was selected.
#![forbid(unsafe_code)]

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use arenite::{Config, Registry};
use arenite_tests::run::Setup;
use arenite_tests::selection::Selection;
use arenite_tests::suite::{self, Summary};
use arenite_tests::{report, source};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

/// Runs conformance cases and compares their outputs with the expected ones.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Case folders, zips of cases, or folders of either.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Delegates, in the order in which they claim nodes.
    #[arg(long, value_name = "NAME")]
    delegate: Vec<String>,
    /// The memory planner.
    #[arg(long, value_name = "NAME")]
    planner: Option<String>,
    /// Folders with plugin libraries.
    #[arg(long, value_name = "DIR")]
    plugin_dir: Vec<PathBuf>,
    /// The configuration file, an arenite.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Threads for ops and delegates [default: the configuration's, or 1].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Run only cases whose ops are all in this list; T1 means all ops of tier T1.
    #[arg(long, value_name = "OP,…", value_delimiter = ',')]
    ops: Vec<String>,
    /// Run only cases whose name contains this.
    #[arg(long, value_name = "PART")]
    filter: Option<String>,
    /// More files that list excluded cases, with lines `case-name reason`.
    #[arg(long, value_name = "FILE")]
    exclusions: Vec<PathBuf>,
    /// Also run cases in the micro interpreter, and compare its bytes with the reference ops.
    #[arg(long, conflicts_with_all = ["delegate", "planner", "plugin_dir", "config", "threads"])]
    micro: bool,
    /// The number of cases that run at the same time.
    #[arg(long, value_name = "N", default_value = "2")]
    jobs: NonZeroUsize,
    /// Print one JSON document instead of text.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(summary) if summary.totals.failed == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("conformance: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Summary, String> {
    let setup = setup(arguments)?;
    let selection = selection(arguments)?;
    let mut cases = Vec::new();
    for path in &arguments.paths {
        cases.extend(source::find(path)?);
    }
    let bar = progress_bar(cases.len(), arguments);
    let summary = suite::run(cases, &selection, &setup, arguments.jobs, |failed| {
        bar.set_message(format!("{failed} failed"));
        bar.inc(1);
    });
    bar.finish_and_clear();
    if summary.totals.passed + summary.totals.failed == 0 {
        return Err(format!("all {} cases are skipped; check --ops and --filter", summary.totals.skipped));
    }
    report::print(&summary, if arguments.json { report::Form::Json } else { report::Form::Text })
        .map_err(|e| format!("standard output: {e}"))?;
    Ok(summary)
}

fn setup(arguments: &Arguments) -> Result<Setup, String> {
    let (config, mut registry) = match &arguments.config {
        Some(path) => {
            let config = Config::from_file(path).map_err(|e| e.to_string())?;
            let registry = Registry::discover(&config).map_err(|e| e.to_string())?;
            (config, registry)
        }
        None => (Config::default(), Registry::with_static_plugins().map_err(|e| e.to_string())?),
    };
    for dir in &arguments.plugin_dir {
        registry.load_dir(dir).map_err(|e| e.to_string())?;
    }
    for failure in registry.failures() {
        eprintln!("conformance: warning: {}: {}", failure.path.display(), failure.reason);
    }
    for name in &arguments.delegate {
        known("delegate", name, registry.delegate_names())?;
    }
    if let Some(name) = &arguments.planner {
        known("planner", name, registry.planner_names())?;
    }
    let named = arguments.threads.map(NonZeroUsize::get);
    Ok(Setup {
        planner: arguments.planner.clone(),
        delegates: arguments.delegate.clone(),
        threads: named.or(if config.threads.is_some() { None } else { Some(1) }),
        config,
        micro: arguments.micro,
        ..Setup::new(registry)
    })
}

fn known(what: &str, name: &str, names: Vec<String>) -> Result<(), String> {
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    Err(format!("unknown {what} '{name}'; known: {}", names.join(", ")))
}

fn selection(arguments: &Arguments) -> Result<Selection, String> {
    let mut selection = Selection::all()?;
    for path in &arguments.exclusions {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        selection.exclude(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if !arguments.ops.is_empty() {
        selection = selection.ops(arguments.ops.iter().map(String::as_str));
    }
    if let Some(part) = &arguments.filter {
        selection = selection.filter(part);
    }
    Ok(selection)
}

fn progress_bar(cases: usize, arguments: &Arguments) -> ProgressBar {
    if arguments.json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cases as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
