//! `arenite bench`: time and memory of a model.

use std::fmt::{self, Display};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use arenite::Interpreter;
use arenite_common::devices::{PartitionFacts, facts};
use arenite_common::profile::{OpTime, ms, op_times};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::devices::show_facts;
use crate::inputs::{self, InputOptions};
use crate::options::{Common, load_model, parse_seconds};
use crate::session::Session;
use crate::text::{self, Align, HEAD, Table};
use crate::trace_file::Recorder;

const NOTES: &str = "\
What is measured:
  init               from the start to a planned model: plugins, file, delegates, memory plan
  first              the first run
  min, median, 90 %  of the runs that follow --warmup, for --seconds; one at least
  peak memory        of the process (JSON: null where the system does not tell)

A trace has the stages of loading, the first run, and runs after the measurement, which it
does not slow down; delegates time their steps in them one by one. Open it in ui.perfetto.dev or chrome://tracing.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Measure for this long
    #[arg(long, value_name = "S", default_value = "2", value_parser = parse_seconds, allow_negative_numbers = true)]
    seconds: Duration,

    /// Runs before the measurement
    #[arg(long, value_name = "N", default_value_t = 3)]
    warmup: usize,

    /// Show the time of each node
    #[arg(long)]
    profile: bool,

    /// Write a Chrome trace
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    #[command(flatten)]
    inputs: InputOptions,

    #[command(flatten)]
    pub common: Common,
}

/// Runs that a trace has after the measurement.
const TRACED_RUNS: usize = 5;

#[derive(Serialize)]
struct Report {
    init_ms: f64,
    first_ms: f64,
    min_ms: f64,
    median_ms: f64,
    p90_ms: f64,
    runs: usize,
    arena_bytes: u64,
    persistent_bytes: u64,
    delegate_bytes: u64,
    device_bytes: u64,
    peak_rss_bytes: Option<u64>,
    facts: Vec<PartitionFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ops: Option<Vec<OpTime>>,
}

/// Runs the command.
pub fn bench(arguments: &Arguments) -> Result<Answer> {
    let recorder = arguments.trace.as_ref().map(|_| Recorder::new(arguments.common.verbose));
    let begin = Instant::now();
    let (mut interpreter, init) = traced(recorder.as_ref(), || {
        let model = load_model(&arguments.model)?;
        let mut interpreter = arguments.common.interpreter(&model)?;
        let mut session = Session::open(&mut interpreter, None)?;
        inputs::resize(&mut session, &arguments.inputs.resize)?;
        session.allocate()?;
        Ok::<_, Failure>((interpreter, begin.elapsed()))
    })?;
    inputs::fill(&mut Session::open(&mut interpreter, None)?, &arguments.inputs, None)?;
    let first = traced(recorder.as_ref(), || timed(&mut interpreter))?;
    (0..arguments.warmup).try_for_each(|_| interpreter.invoke())?;
    if arguments.profile {
        interpreter.start_profile();
    }
    let mut times = measure(&mut interpreter, arguments.seconds)?;
    let ops = interpreter.profile().map(op_times);
    if let (Some(recorder), Some(path)) = (&recorder, &arguments.trace) {
        recorder.record(|| (0..TRACED_RUNS).try_for_each(|_| interpreter.invoke()))?;
        recorder.write(path)?;
    }
    times.sort_unstable();
    let report = report(&interpreter, [init, first], &times, ops);
    Answer::new(&report, arguments.common.json)
}

fn report(
    interpreter: &Interpreter,
    [init, first]: [Duration; 2],
    times: &[Duration],
    ops: Option<Vec<OpTime>>,
) -> Report {
    let memory = interpreter.memory_use();
    Report {
        init_ms: ms(init),
        first_ms: ms(first),
        min_ms: ms(quantile(times, 0.0)),
        median_ms: ms(median(times)),
        p90_ms: ms(quantile(times, 0.9)),
        runs: times.len(),
        arena_bytes: memory.arena,
        persistent_bytes: memory.persistent,
        delegate_bytes: memory.delegates,
        device_bytes: memory.device,
        peak_rss_bytes: peak_rss(),
        facts: facts(interpreter),
        ops,
    }
}

fn traced<T>(recorder: Option<&Recorder>, work: impl FnOnce() -> T) -> T {
    match recorder {
        Some(recorder) => recorder.record(work),
        None => work(),
    }
}

fn timed(interpreter: &mut Interpreter) -> Result<Duration> {
    let start = Instant::now();
    interpreter.invoke()?;
    Ok(start.elapsed())
}

/// Runs for `length`, once at least.
fn measure(interpreter: &mut Interpreter, length: Duration) -> Result<Vec<Duration>> {
    let bar = progress_bar(length);
    let begin = Instant::now();
    let mut shown = begin;
    let mut times = Vec::new();
    loop {
        times.push(timed(interpreter)?);
        let now = Instant::now();
        if now - begin >= length {
            bar.finish_and_clear();
            return Ok(times);
        }
        if now - shown > Duration::from_millis(100) {
            shown = now;
            bar.set_position((now - begin).as_millis() as u64);
            bar.set_message(text::count(times.len(), "run"));
        }
    }
}

/// On a terminal; elsewhere it draws nothing.
fn progress_bar(length: Duration) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length.as_millis() as u64);
    match ProgressStyle::with_template("{bar:40.cyan} {percent:>3} %  {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The smallest value that at least the share `q` of the sorted `times` does not exceed (nearest rank).
fn quantile(times: &[Duration], q: f64) -> Duration {
    let rank = (q * times.len() as f64).ceil() as usize;
    times.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// The middle of the sorted `times`, or the mean of the two there.
fn median(times: &[Duration]) -> Duration {
    let (low, high) = (times.len().saturating_sub(1) / 2, times.len() / 2);
    let at = |i: usize| times.get(i).copied().unwrap_or_default();
    (at(low) + at(high)) / 2
}

/// The most memory that the process has had, as Linux tells it.
fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times = Table::new(&[
            ("init", Align::Right),
            ("first", Align::Right),
            ("min", Align::Right),
            ("median", Align::Right),
            ("90 %", Align::Right),
            ("runs", Align::Right),
        ]);
        let shown = [self.init_ms, self.first_ms, self.min_ms, self.median_ms, self.p90_ms];
        times.row(shown.iter().map(|t| format!("{t:.3} ms")).chain([text::thousands(self.runs as u64)]));
        times.fmt(f)?;
        writeln!(f)?;
        let mut memory = Table::new(&[
            ("arena", Align::Right),
            ("persistent", Align::Right),
            ("delegates", Align::Right),
            ("devices", Align::Right),
            ("peak memory", Align::Right),
        ]);
        let bytes = |n: u64| format!("{} bytes", text::thousands(n));
        let peak = self.peak_rss_bytes.map_or("unknown".to_owned(), bytes);
        let held =
            [self.arena_bytes, self.persistent_bytes, self.delegate_bytes, self.device_bytes].map(bytes);
        memory.row(held.into_iter().chain([peak]));
        memory.fmt(f)?;
        show_facts(f, &self.facts)?;
        if let Some(ops) = &self.ops {
            show_ops(f, ops)?;
        }
        Ok(())
    }
}

fn show_ops(f: &mut fmt::Formatter<'_>, ops: &[OpTime]) -> fmt::Result {
    writeln!(f, "\n{HEAD}nodes, in execution order{HEAD:#}")?;
    let time = |t: f64| format!("{t:.4}");
    let columns = [("mean ms", Align::Right), ("min ms", Align::Right), ("%", Align::Right)];
    let mut nodes = Table::new(&[&columns[..], &[("op", Align::Left), ("output", Align::Left)]].concat());
    for op in ops {
        let times = [time(op.mean_ms), time(op.min_ms), format!("{:.1}", op.percent)];
        nodes.row(times.into_iter().chain([op.op.clone(), text::shorten(&op.output, 50)]));
    }
    nodes.fmt(f)?;
    writeln!(f, "\n{HEAD}ops, slowest first{HEAD:#}")?;
    let mut sums: Vec<(&str, usize, f64, f64)> = Vec::new();
    for op in ops {
        match sums.iter_mut().find(|sum| sum.0 == op.op) {
            Some(sum) => *sum = (sum.0, sum.1 + 1, sum.2 + op.mean_ms, sum.3 + op.percent),
            None => sums.push((&op.op, 1, op.mean_ms, op.percent)),
        }
    }
    sums.sort_by(|a, b| b.2.total_cmp(&a.2));
    let mut table = Table::new(&[
        ("mean ms", Align::Right),
        ("%", Align::Right),
        ("nodes", Align::Right),
        ("op", Align::Left),
    ]);
    for (op, count, mean, percent) in sums {
        table.row([time(mean), format!("{percent:.1}"), count.to_string(), op.to_owned()]);
    }
    table.fmt(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        let times: Vec<Duration> = (1..=10).map(Duration::from_millis).collect();
        let of = |q| quantile(&times, q).as_millis();
        assert_eq!([of(0.0), of(0.5), of(0.9), of(1.0)], [1, 5, 9, 10]);
        assert_eq!(median(&times), Duration::from_micros(5500));
        assert_eq!(median(&times[..3]), Duration::from_millis(2));
        assert_eq!(median(&times[..1]), Duration::from_millis(1));
    }
}
