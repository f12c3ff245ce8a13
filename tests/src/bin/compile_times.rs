//! Prints which modules of a crate take longest to compile, from the times that LLVM recorded:
//!
//! ```text
//! cargo +nightly rustc -p arenite-ops --lib --target-dir target/times -- -Zllvm-time-trace
//! cargo run -p arenite-tests --bin compile_times -- arenite_ops.llvm_timings.json
//! ```
//!
//! rustc writes CRATE.llvm_timings.json to the current folder, the workspace's root: 3 GB for arenite-ops, and reading
//! it takes as much memory again. They are wall-clock times of code generation, summed over all threads, without type
//! checking. On a busy machine only the shares are meaningful. A generic function counts towards the op that it is
//! instantiated for, not the module that defines it. Symbols without a module of the crate are listed as `(others'
//! code)`, events without a symbol as `(whole modules)`.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde::{Deserialize, Serialize};

/// Prints which modules of a crate take longest to compile.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The output file of `-Zllvm-time-trace`.
    #[arg(value_name = "TIMINGS.json")]
    path: PathBuf,
    /// The crate whose modules are listed.
    #[arg(long = "crate", value_name = "NAME", default_value = "arenite_ops")]
    krate: String,
    /// Folders whose modules are listed, too; in case of doubt a symbol counts towards the last one.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "kit,custom")]
    folders: Vec<String>,
    /// Print one JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Trace<'a> {
    #[serde(rename = "traceEvents", borrow)]
    events: Vec<Event<'a>>,
}

/// A span of time in which LLVM did one thing, in microseconds.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    ph: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    tid: u64,
    #[serde(default)]
    ts: u64,
    #[serde(default)]
    dur: u64,
    #[serde(borrow, default)]
    args: Details<'a>,
}

#[derive(Default, Deserialize)]
struct Details<'a> {
    /// Usually the symbol of the function that is compiled.
    #[serde(borrow, default)]
    detail: Option<Cow<'a, str>>,
}

/// The compile time of one module.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Times {
    module: String,
    milliseconds: f64,
    functions: usize,
}

#[derive(Serialize)]
struct Report {
    milliseconds: f64,
    modules: Vec<Times>,
}

const OTHERS: &str = "(others' code)";
const WHOLE: &str = "(whole modules)";

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compile_times: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let at_path = |e: &dyn std::fmt::Display| format!("{}: {e}", arguments.path.display());
    let text = std::fs::read_to_string(&arguments.path).map_err(|e| at_path(&e))?;
    let trace: Trace<'_> = serde_json::from_str(&text).map_err(|e| at_path(&e))?;
    let report = report(trace.events, |symbol| module(symbol, &arguments.krate, &arguments.folders));
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    println!("{:<44} {:>10} {:>7} {:>10}", "module", "ms", "%", "functions");
    for Times { module, milliseconds, functions } in &report.modules {
        let share = 100.0 * milliseconds / report.milliseconds.max(f64::MIN_POSITIVE);
        println!("{module:<44} {milliseconds:>10.1} {share:>7.1} {functions:>10}");
    }
    println!("{:<44} {:>10.1}", "all", report.milliseconds);
    Ok(())
}

/// Sums up the time of each module, the longest first.
fn report(events: Vec<Event<'_>>, module: impl Fn(&str) -> String) -> Report {
    let mut sums: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for (symbol, time) in times_of_symbols(events) {
        let (of, functions) = match &symbol {
            Some(symbol) => (module(symbol), 1),
            None => (WHOLE.to_owned(), 0),
        };
        let sum = sums.entry(of).or_default();
        *sum = (sum.0 + time, sum.1 + functions);
    }
    let in_milliseconds = |time: u64| time as f64 / 1000.0;
    let all = sums.values().map(|(time, _)| time).sum();
    let mut modules: Vec<Times> = sums
        .into_iter()
        .map(|(module, (time, functions))| Times { module, milliseconds: in_milliseconds(time), functions })
        .collect();
    modules.sort_by(|a, b| b.milliseconds.total_cmp(&a.milliseconds));
    Report { milliseconds: in_milliseconds(all), modules }
}

/// The time of each symbol. Events are nested; time counts for the innermost event that names a symbol.
///
/// ```text
/// module pass        ──────────────────────────     → no symbol: 26 − 17
///   function pass f    ────────  function pass g ─────────
///     loop pass           ───                    f: all 8
/// ```
fn times_of_symbols<'a>(mut events: Vec<Event<'a>>) -> HashMap<Option<Cow<'a, str>>, u64> {
    events.retain(|event| event.ph == "X" && !event.name.starts_with("Total "));
    events.sort_by_key(|event| (event.tid, event.ts, u64::MAX - event.dur));
    let mut times: HashMap<Option<Cow<'a, str>>, u64> = HashMap::new();
    // End and symbol of each event that encloses the current one.
    let mut around: Vec<(u64, Option<Cow<'a, str>>)> = Vec::new();
    let mut thread = None;
    for event in events {
        if thread.replace(event.tid) != Some(event.tid) {
            around.clear();
        }
        while around.last().is_some_and(|(end, _)| *end <= event.ts) {
            around.pop();
        }
        let outer = around.last().map(|(_, symbol)| symbol.clone());
        let named = event.args.detail.filter(|detail| is_symbol(detail));
        let symbol = named.or_else(|| outer.clone().flatten());
        // The time of the inner event does not count for the outer one.
        if let Some(time) = outer.and_then(|outer| times.get_mut(&outer)) {
            *time = time.saturating_sub(event.dur);
        }
        *times.entry(symbol.clone()).or_default() += event.dur;
        around.push((event.ts + event.dur, symbol));
    }
    times
}

fn is_symbol(detail: &str) -> bool {
    detail.starts_with("_R") || detail.starts_with("_ZN")
}

/// The module of `krate` that a symbol belongs to: the first one that it names. Modules outside of all folders come
/// before those in a folder, and those in a later folder before those in an earlier one.
fn module(symbol: &str, krate: &str, folders: &[String]) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    let prefix = format!("{krate}::");
    let mut best: Option<(usize, String)> = None;
    for (at, _) in name.match_indices(&prefix) {
        let is_inside = name[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        let mut parts = name[at + prefix.len()..]
            .split("::")
            .map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default());
        let Some(first) = parts.next().filter(|first| !is_inside && !first.is_empty()) else { continue };
        let found = match folders.iter().position(|folder| folder == first) {
            None => (folders.len(), first.to_owned()),
            Some(rank) => (rank, format!("{first}::{}", parts.next().unwrap_or_default())),
        };
        if best.as_ref().is_none_or(|best| best.0 < found.0) {
            best = Some(found);
        }
    }
    best.map_or_else(|| OTHERS.to_owned(), |(_, module)| module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_once_for_the_innermost_symbol() {
        let text = r#"{"traceEvents": [
            {"pid": 1, "tid": 1, "ts": 0, "ph": "X", "dur": 26, "name": "ModulePass", "args": {"detail": "[module]"}},
            {"pid": 1, "tid": 1, "ts": 2, "ph": "X", "dur": 8, "name": "Pass", "args": {"detail": "_RNvC1a1f"}},
            {"pid": 1, "tid": 1, "ts": 5, "ph": "X", "dur": 3, "name": "LoopPass", "args": {"detail": "loop"}},
            {"pid": 1, "tid": 1, "ts": 10, "ph": "X", "dur": 9, "name": "Pass", "args": {"detail": "_RNvC1a1g"}},
            {"pid": 1, "tid": 2, "ts": 4, "ph": "X", "dur": 5, "name": "Pass", "args": {"detail": "_RNvC1a1f"}},
            {"pid": 1, "tid": 3, "ts": 0, "ph": "X", "dur": 90, "name": "Total Pass", "args": {"count": 3}},
            {"pid": 1, "tid": 1, "ts": 0, "ph": "M", "name": "process_name", "args": {"name": "rustc"}}
        ]}"#;
        let trace: Trace<'_> = serde_json::from_str(text).unwrap();
        let times = times_of_symbols(trace.events);
        let of = |symbol: &'static str| times[&Some(Cow::from(symbol))];
        assert_eq!((of("_RNvC1a1f"), of("_RNvC1a1g"), times[&None]), (13, 9, 9));
    }

    #[test]
    fn a_generic_function_counts_towards_its_op() {
        let folders = ["kit".to_owned(), "custom".to_owned()];
        let cases = [
            ("_RNvNtC11arenite_ops7conv_2d3new", "conv_2d"),
            ("_RNvNtNtC11arenite_ops3kit4relu4eval", "kit::relu"),
            ("_RINvNtNtC11arenite_ops3kit4relu4evalNtNtB6_5relu61MEB6_", "relu6"),
            ("_RINvNtNtC11arenite_ops3kit3fft4evalNtNtNtB6_6custom4mfcc4MfccEB6_", "custom::mfcc"),
            ("_RNvNtC4core3fmt5write", OTHERS),
            ("_RNvNtC17other_arenite_ops3abs4eval", OTHERS),
        ];
        for (symbol, want) in cases {
            let name = format!("{:#}", rustc_demangle::demangle(symbol));
            assert_eq!(module(symbol, "arenite_ops", &folders), want, "{name}");
        }
    }

    #[test]
    fn the_longest_comes_first() {
        let text = r#"{"traceEvents": [
            {"tid": 1, "ts": 0, "ph": "X", "dur": 1000, "name": "P", "args": {"detail": "_RNvC1a1f"}},
            {"tid": 1, "ts": 1000, "ph": "X", "dur": 1500, "name": "P", "args": {"detail": "_RNvC1a1g"}},
            {"tid": 1, "ts": 2500, "ph": "X", "dur": 1000, "name": "P", "args": {"detail": "_RNvC1a1h"}}
        ]}"#;
        let trace: Trace<'_> = serde_json::from_str(text).unwrap();
        let report =
            report(trace.events, |symbol| if symbol.ends_with('g') { "g" } else { "rest" }.to_owned());
        let times =
            |module: &str, milliseconds, functions| Times { module: module.into(), milliseconds, functions };
        assert_eq!(report.modules, [times("rest", 2.0, 2), times("g", 1.5, 1)]);
        assert_eq!(report.milliseconds, 3.5);
    }
}
