//! `arenite bench`: measures how long models take and how much memory they use, and explains why they are slow.

mod contender;
mod csv;
mod explain;
mod load;
pub(crate) mod measure;
mod memory;
mod progress;
pub(crate) mod ratio;
mod report;
pub(crate) mod samples;
mod setup;
mod show;
mod variant;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arenite_common::devices::facts;
use arenite_common::profile::{OpTime, ms, op_times};
use clap::{Args, ValueEnum};

use self::contender::{Contender, Spec};
use self::explain::{Detail, Explanation, Threads};
use self::load::Load;
use self::measure::{Length, Measurement, measure};
use self::progress::Progress;
use self::ratio::Ratio;
use self::report::{Memory, Report, Row};
use self::variant::Variant;
use crate::answer::{Answer, Failure, Result};
use crate::batch::BatchOptions;
use crate::inputs::InputOptions;
use crate::options::{Common, parse_seconds};
use crate::picture::{DecodedPicture, PictureOptions};
use crate::trace_file::Recorder;

const NOTES: &str = "\
Results:
  init         loading plugins and model, preparing delegates, planning memory
  first run    the first run, before --warmup
  min … runs   the runs after --warmup. 90 % of the runs take at most the time below \"90 %\"
  peak memory  of the process before these runs; of the first model only

--compare takes the path of another model, or settings separated by spaces:
  --compare other.tflite    --compare delegate=none    --compare \"planner=arena threads=1\"
  --compare delegate=cpu:isa=avx2    --compare \"model=other.tflite threads=1\"
The two run in turns, so that both see the same load of the machine. The ratio of their times is
given with its 95 % confidence interval; if that contains 1, the difference is not clear.

A trace contains the stages of loading, the first run, and a few runs after the measurement, so
that tracing does not slow the measured runs. Delegates time each of their steps in them. Open a
trace in ui.perfetto.dev or chrome://tracing.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    /// The models, .tflite files; several are measured one after another
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,

    /// Measurement time in seconds
    #[arg(long, value_name = "S", default_value = "2", value_parser = parse_seconds, allow_negative_numbers = true)]
    seconds: Duration,

    /// Measure this many runs instead
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,

    /// Runs before the measurement starts
    #[arg(long, value_name = "N", default_value_t = 3)]
    warmup: usize,

    /// Compare with another model or other settings, see below (repeatable)
    #[arg(long, value_name = "MODEL|SETTINGS")]
    compare: Vec<Variant>,

    /// Show the time of each node, from further runs
    #[arg(long)]
    profile: bool,

    /// Explain why it is slow, from further runs: nodes without a delegate, other numbers of
    /// threads, the time a cache saves. `auto` explains one model, as text, if it finds a reason
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_value = "auto", default_missing_value = "always")]
    explain: ColorChoice,

    /// Write a table with all figures to this file, or to stdout in place of the report if it is `-`
    #[arg(long, value_name = "FILE|-")]
    csv: Option<PathBuf>,

    /// Write a Chrome trace to this file
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    trace: Option<PathBuf>,

    /// Run the signature with this key, and use its input names
    #[arg(long, value_name = "KEY", help_heading = "Inputs")]
    signature: Option<String>,

    #[command(flatten)]
    picture: PictureOptions,

    #[command(flatten)]
    inputs: InputOptions,

    #[command(flatten)]
    batch: BatchOptions,

    #[command(flatten)]
    pub common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// Number of runs recorded in a trace, after the measurement.
const TRACED_RUNS: usize = 5;
/// The longest time that an explanation takes by default, in addition to the measurement.
const LONGEST_EXPLANATION: Duration = Duration::from_secs(2);

/// Runs the command.
pub(crate) fn bench(arguments: &Arguments) -> Result<Answer> {
    if arguments.trace.is_some() && arguments.models.len() > 1 {
        return Err(Failure::new("--trace records one model; give it alone"));
    }
    let to_stdout = arguments.csv.as_deref() == Some(Path::new("-"));
    if to_stdout && arguments.common.json {
        return Err(Failure::new("--csv - and --json both print to stdout; give --csv a file"));
    }
    let picture = arguments.picture.load()?;
    let mut rows = Vec::new();
    for model in &arguments.models {
        rows.extend(rows_of(arguments, model, picture.as_ref(), rows.is_empty())?);
    }
    if let Some(path) = &arguments.csv {
        let table = csv::csv(&rows)?;
        if to_stdout {
            return Ok(Answer::text(table));
        }
        std::fs::write(path, table).map_err(|error| Failure::with(path.display(), error))?;
    }
    Answer::new(&Report { rows }, arguments.common.json)
}

/// Measures a model together with everything it is compared with.
fn rows_of(
    arguments: &Arguments,
    model: &Path,
    picture: Option<&DecodedPicture<'_>>,
    is_first: bool,
) -> Result<Vec<Row>> {
    let recorder = arguments.trace.as_ref().map(|_| Recorder::new(arguments.common.verbose));
    let (mut ready, peak) = load(arguments, model, picture, recorder.as_ref())?;
    let longest = ready.iter().map(|ready| ready.first).max().unwrap_or_default();
    let mut progress = Progress::new(arguments.estimate(longest, ready.len()));
    progress.begin(model.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let before = Load::now();
    let mut contenders: Vec<&mut Contender<'_>> =
        ready.iter_mut().map(|ready| &mut ready.contender).collect();
    let measured = measure(&mut contenders, arguments.length(), &mut |time| progress.add(time))?;
    let loads = [before, Load::now()];
    let mut rows = Vec::new();
    for (i, (ready, these)) in ready.iter_mut().zip(&measured).enumerate() {
        let ratio =
            measured.first().filter(|_| i > 0).and_then(|first| Ratio::of(&first.slices, &these.slices));
        let detail = arguments.detail().filter(|_| i == 0);
        let peak = peak.filter(|_| i == 0 && is_first);
        rows.push(ready.row(arguments, these, ratio, peak, (detail, loads), &mut progress)?);
    }
    if let (Some(recorder), Some(path), Some(ready)) = (&recorder, &arguments.trace, ready.first_mut()) {
        recorder.record(|| (0..TRACED_RUNS).try_for_each(|_| ready.contender.run().map(drop)))?;
        recorder.write(path)?;
    }
    Ok(rows)
}

/// Loads a model, then everything it is compared with. Also returns the peak memory of the process with the model
/// alone.
fn load<'a>(
    arguments: &'a Arguments,
    model: &Path,
    picture: Option<&'a DecodedPicture<'a>>,
    recorder: Option<&Recorder>,
) -> Result<(Vec<WarmContender<'a>>, Option<u64>)> {
    let spec = Spec {
        model: model.to_owned(),
        common: arguments.common.clone(),
        compare: None,
        signature: arguments.signature.as_deref(),
        inputs: &arguments.inputs,
        batch: arguments.batch,
        picture,
    };
    let mut ready = vec![WarmContender::load(spec.clone(), arguments.warmup, recorder)?];
    let peak = memory::peak_rss();
    for variant in &arguments.compare {
        let spec = Spec {
            model: variant.model().unwrap_or(model).to_owned(),
            common: variant.apply(&spec.common),
            compare: Some(variant.text()),
            ..spec.clone()
        };
        let loaded = WarmContender::load(spec, arguments.warmup, None);
        ready.push(
            loaded.map_err(|error| Failure::with(format_args!("--compare {}", variant.text()), error))?,
        );
    }
    Ok((ready, peak))
}

/// A contender after its first run and its warm-up.
struct WarmContender<'a> {
    contender: Contender<'a>,
    first: Duration,
}

impl<'a> WarmContender<'a> {
    fn load(spec: Spec<'a>, warmup: usize, recorder: Option<&Recorder>) -> Result<Self> {
        let mut contender = traced(recorder, || Contender::load(spec))?;
        let first = traced(recorder, || contender.run())?;
        (0..warmup).try_for_each(|_| contender.run().map(drop))?;
        Ok(WarmContender { contender, first })
    }

    fn row(
        &mut self,
        arguments: &Arguments,
        measured: &Measurement,
        ratio: Option<Ratio>,
        peak: Option<u64>,
        (detail, loads): (Option<Detail>, [Option<Load>; 2]),
        progress: &mut Progress,
    ) -> Result<Row> {
        let WarmContender { contender, first } = self;
        let times = measured.samples.times();
        let budget = arguments.budget(Duration::from_secs_f64(times.mean_ms / 1e3 * times.runs as f64));
        // Facts and memory are read before other numbers of threads are tried.
        let (facts, memory) = (facts(&contender.interpreter), contender.interpreter.memory_use());
        // A profile slows all later runs, so it comes last.
        let threads = detail.map(|_| Threads::measure(contender, budget, progress));
        let wants_profile = arguments.profile || detail.is_some();
        let ops = if wants_profile { Some(profile(contender, budget, progress)?) } else { None };
        let explanation = match (detail, threads, &ops) {
            (Some(detail), Some(threads), Some(ops)) => {
                Some(Explanation::of(contender, ops, threads, loads, detail))
            }
            _ => None,
        };
        Ok(Row {
            setup: contender.setup()?,
            init_ms: ms(contender.init),
            first_ms: ms(*first),
            times,
            memory: Memory::new(memory, peak),
            ratio,
            facts,
            ops: ops.filter(|_| arguments.profile),
            explanation,
        })
    }
}

impl Arguments {
    fn length(&self) -> Length {
        self.runs.map_or(Length::Time(self.seconds), Length::Runs)
    }

    /// The length of the profile, and of the comparison of thread counts, after a measurement that took `measured`.
    fn budget(&self, measured: Duration) -> Duration {
        let measured = if self.runs.is_some() { measured } else { self.seconds };
        (measured / 2).min(LONGEST_EXPLANATION)
    }

    /// About how long all runs of `contenders` models take, if the slowest run takes `longest`.
    fn estimate(&self, longest: Duration, contenders: usize) -> Duration {
        let each = match self.length() {
            Length::Time(time) => time.max(longest),
            Length::Runs(runs) => longest.saturating_mul(u32::try_from(runs).unwrap_or(u32::MAX)),
        };
        let all = each.saturating_mul(u32::try_from(contenders).unwrap_or(u32::MAX));
        let budget = self.budget(each);
        let profiles = if self.profile || self.detail().is_some() { budget } else { Duration::ZERO };
        let explanation = if self.detail().is_some() { budget } else { Duration::ZERO };
        all.saturating_add(profiles).saturating_add(explanation)
    }

    /// How much is explained. An explanation takes time and memory, so programs that read the output have to ask for
    /// it.
    fn detail(&self) -> Option<Detail> {
        let is_plain = self.models.len() == 1 && self.compare.is_empty() && !self.common.json;
        let has_time = self.runs.is_some() || !self.seconds.is_zero();
        let prints_csv = self.csv.as_deref() == Some(Path::new("-"));
        match self.explain {
            ColorChoice::Always => Some(Detail::All),
            ColorChoice::Auto if is_plain && has_time && !prints_csv => Some(Detail::Findings),
            ColorChoice::Auto | ColorChoice::Never => None,
        }
    }
}

/// Times each node for `length`, in at least one run.
fn profile(contender: &mut Contender<'_>, length: Duration, progress: &mut Progress) -> Result<Vec<OpTime>> {
    progress.begin("profile".to_owned());
    contender.interpreter.start_profile();
    let begin = Instant::now();
    loop {
        progress.add(contender.run()?);
        if begin.elapsed() >= length {
            let profile = contender.interpreter.profile_of(contender.subgraph);
            return Ok(profile.map_or_else(Vec::new, op_times));
        }
    }
}

fn traced<T>(recorder: Option<&Recorder>, work: impl FnOnce() -> T) -> T {
    match recorder {
        Some(recorder) => recorder.record(work),
        None => work(),
    }
}
