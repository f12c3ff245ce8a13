//! Measures one model with several contenders.
//!
//! ```text
//! start   arenite │ litert │ onnxruntime     each alone in a fresh process: time to load, first run, memory, answers
//! race    arenite   litert   onnxruntime     all loaded; one runs for a slice while the others sleep
//!         litert    onnxruntime   arenite    each round begins with another one
//!         …
//! ```
//! Any disturbance of the machine then affects all contenders alike, and ratios stay right.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{process, thread};

use arenite_model::ModelBuffer;

use crate::agreement::{self, Answer};
use crate::contender::Contender;
use crate::definitions::{ContenderDefinition, Places, Subject};
use crate::failure::{Failure, Result};
use crate::machine::{self, Load};
use crate::protocol::{Memory, Opened, Outputs, Request, Times};
use crate::report::{Case, Score};
use crate::statistics::{median, minimum};
use crate::{inputs, work};

/// The amount of measuring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The run time of each contender.
    pub race: Duration,
    /// The length of a turn.
    pub slice: Duration,
    /// The number of new processes per contender for start time and memory.
    pub starts: usize,
    /// The longest time to wait for a quiet machine and to repeat measurements.
    pub patience: Duration,
}

/// The number of runs between opening a model and measuring the memory, unless they take long.
const SETTLING_RUNS: u32 = 5;

/// A contender whose run takes longer than this starts only once, and races for one turn.
const SLOW: Duration = Duration::from_secs(2);

/// The minimum number of turns of a contender, unless its runs take long: a pause of the machine must not end its race.
const TURNS: u32 = 8;

/// The minimum length of a sample, because reading the clock and the call have a cost.
const SAMPLE: Duration = Duration::from_micros(50);

/// The machine is quiet if others use fewer processors than this.
const QUIET_CORES: f64 = 0.1;
const MOMENT: Duration = Duration::from_millis(500);

/// How long each contender warms up before the race.
const WARM_UP: Duration = Duration::from_millis(100);

/// The racing processes, one per contender, started on demand and kept for the next race.
pub(crate) struct Lineup<'a> {
    places: &'a Places,
    entrants: Vec<(&'a ContenderDefinition, Option<Contender>)>,
}

impl<'a> Lineup<'a> {
    pub(crate) fn new(contenders: &'a [ContenderDefinition], places: &'a Places) -> Self {
        Lineup { places, entrants: contenders.iter().map(|definition| (definition, None)).collect() }
    }

    /// Measures a model; failures of contenders are part of the result. While patience lasts, it is measured again
    /// until the machine is quiet; the least disturbed time counts.
    pub(crate) fn measure(&mut self, subject: &Subject, threads: usize, effort: &Effort) -> Result<Case> {
        let begin = Instant::now();
        let mut kept: Option<Case> = None;
        loop {
            let patience = effort.patience.saturating_sub(begin.elapsed());
            wait_for_quiet(patience);
            let case = self.measure_once(subject, threads, effort)?;
            let calmest = match kept {
                Some(kept) if kept.others_cores() < case.others_cores() => kept,
                _ => case,
            };
            if calmest.others_cores() < QUIET_CORES || begin.elapsed() >= effort.patience {
                return Ok(calmest);
            }
            kept = Some(calmest);
        }
    }

    fn measure_once(&mut self, subject: &Subject, threads: usize, effort: &Effort) -> Result<Case> {
        let file =
            ModelBuffer::from_file(&subject.file).map_err(|error| Failure::with(subject.title(), error))?;
        let folder = tempfile::tempdir().map_err(|error| Failure::with("temporary folder", error))?;
        let inputs = inputs::write(&file.model(), folder.path())?;
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for (definition, process) in &mut self.entrants {
            let model = subject.file_for(definition.reads);
            if model.is_file() {
                let open = Request::Open { model, threads, inputs: inputs.clone() };
                let score = Score::new(&definition.name);
                entries.push(Entry { definition, process, open, score, answers: Vec::new() });
            }
        }
        let ground = Ground { places: self.places, folder: folder.path(), effort };
        ground.start_all(&mut entries);
        let before = (Load::now(), Instant::now());
        let own = ground.race(&mut entries);
        let load = Load::now().since(before.0);
        let seconds = before.1.elapsed().as_secs_f64();
        compare(&mut entries);
        Ok(Case {
            model: subject.model.clone(),
            kind: subject.kind.clone(),
            threads,
            file_bytes: std::fs::metadata(&subject.file).map_or(0, |data| data.len()),
            operations: work::total(&file.model()),
            scores: entries.into_iter().map(|entry| entry.score).collect(),
            foreign_cores: (load.busy - own).max(0.0) / seconds,
            stolen_cores: load.stolen / seconds,
        })
    }

    /// Ends the processes, so that the next race starts new ones.
    pub(crate) fn empty(&mut self) {
        self.entrants.iter_mut().for_each(|(_, process)| *process = None);
    }
}

/// A contender with a model, and its measurements so far.
struct Entry<'a> {
    definition: &'a ContenderDefinition,
    process: &'a mut Option<Contender>,
    open: Request,
    score: Score,
    answers: Vec<Answer>,
}

impl Entry<'_> {
    fn is_fit(&self) -> bool {
        self.score.failure.is_none()
    }

    /// Loads the model and runs it once; keeps the outputs of the first time.
    fn open(&mut self, contender: &mut Contender, folder: &Path) -> Result<Opened> {
        let opened = contender.ask(&self.open)?;
        if self.answers.is_empty() {
            let outputs: Outputs = contender.ask(&Request::Outputs { folder: folder.to_owned() })?;
            self.answers = outputs.outputs.iter().map(Answer::read).collect::<Result<_>>()?;
        }
        self.score.version = contender.version.clone();
        Ok(opened)
    }
}

/// The common settings of all races of a model.
struct Ground<'a> {
    places: &'a Places,
    /// The folder for outputs.
    folder: &'a Path,
    effort: &'a Effort,
}

impl Ground<'_> {
    /// Measures start time and memory in new processes, one at a time.
    fn start_all(&self, entries: &mut [Entry<'_>]) {
        for round in 0..self.effort.starts {
            for entry in entries.iter_mut().filter(|entry| entry.is_fit()) {
                let slow = entry.score.first_ms.is_some_and(|ms| ms > SLOW.as_secs_f64() * 1e3);
                if round > 0 && slow {
                    continue;
                }
                if let Err(failure) = self.start(entry) {
                    entry.score.failure = Some(failure.to_string());
                }
            }
        }
    }

    fn start(&self, entry: &mut Entry<'_>) -> Result<()> {
        let mut contender = Contender::start(entry.definition, self.places)?;
        let opened = entry.open(&mut contender, self.folder)?;
        if Duration::from_nanos(opened.first_ns) < SLOW / SETTLING_RUNS {
            contender.ask::<Times>(&Request::Run { for_ns: 0, batch: SETTLING_RUNS })?;
        }
        let after: Memory = contender.ask(&Request::Memory {})?;
        let score = &mut entry.score;
        least(&mut score.load_ms, Some(opened.load_ns as f64 / 1e6));
        least(&mut score.first_ms, Some(opened.first_ns as f64 / 1e6));
        least(&mut score.rss_bytes, growth(opened.before.rss, after.rss));
        least(&mut score.pss_bytes, growth(opened.before.pss, after.pss));
        Ok(())
    }

    /// Lets the contenders take turns. Returns the processor time that they and this process used, in seconds.
    fn race(&self, entries: &mut [Entry<'_>]) -> f64 {
        let before = machine::processor_seconds(process::id());
        let fit = entries.iter_mut().filter(|entry| entry.is_fit());
        let mut racers: Vec<Racer<'_, '_>> = fit.filter_map(|entry| self.line_up(entry)).collect();
        let mut round = 0;
        while racers.iter().any(|racer| racer.wants_more(self.effort)) {
            for i in 0..racers.len() {
                let turn = (i + round) % racers.len();
                racers[turn].take_turn(self.effort);
            }
            round += 1;
        }
        let own: f64 = racers.into_iter().map(Racer::finish).sum();
        own + machine::processor_seconds(process::id()) - before
    }

    /// Loads and warms up; on failure records it and returns `None`.
    fn line_up<'a, 'b>(&self, entry: &'a mut Entry<'b>) -> Option<Racer<'a, 'b>> {
        let mut warm = || {
            let mut contender = match entry.process.take() {
                Some(contender) => contender,
                None => Contender::start(entry.definition, self.places)?,
            };
            let before = contender.processor_seconds();
            let opened = entry.open(&mut contender, self.folder)?;
            let mut batch = 1.0;
            if Duration::from_nanos(opened.first_ns) < SLOW {
                let warm_up = Request::Run { for_ns: WARM_UP.as_nanos() as u64, batch: 1 };
                let times: Times = contender.ask(&warm_up)?;
                batch = (SAMPLE.as_nanos() as f64 / median(&times.ns).max(1.0)).ceil().clamp(1.0, 1e4);
            }
            contender.settle();
            let known = entry.score.first_ms.unwrap_or(f64::INFINITY);
            let first = Duration::from_nanos(opened.first_ns.min((known * 1e6) as u64));
            Ok::<_, Failure>((contender, first, batch as u32, before))
        };
        match warm() {
            Ok((contender, first, batch, before)) => {
                let (samples, spent) = (Vec::new(), Duration::ZERO);
                Some(Racer { entry, contender, first, batch, before, samples, spent, turns: 0 })
            }
            Err(failure) => {
                entry.score.failure = Some(failure.to_string());
                None
            }
        }
    }
}

/// Waits until the machine is quiet for a moment.
pub(crate) fn wait_for_quiet(patience: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < patience {
        let before = Load::now();
        thread::sleep(MOMENT);
        let load = Load::now().since(before);
        if (load.busy + load.stolen) / MOMENT.as_secs_f64() < QUIET_CORES {
            return;
        }
    }
}

fn growth(before: Option<u64>, after: Option<u64>) -> Option<f64> {
    Some(after? as f64 - before? as f64)
}

fn least(kept: &mut Option<f64>, found: Option<f64>) {
    *kept = match (*kept, found) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}

/// A loaded contender in the race.
struct Racer<'a, 'b> {
    entry: &'a mut Entry<'b>,
    contender: Contender,
    /// The fastest first run.
    first: Duration,
    /// Runs per sample.
    batch: u32,
    /// The processor time used before the race, in seconds.
    before: f64,
    samples: Vec<f64>,
    spent: Duration,
    turns: u32,
}

impl Racer<'_, '_> {
    fn wants_more(&self, effort: &Effort) -> bool {
        let turns = if self.first < SLOW / TURNS { TURNS } else { 1 };
        self.entry.is_fit() && (self.spent < effort.race || self.turns < turns)
    }

    fn take_turn(&mut self, effort: &Effort) {
        if !self.wants_more(effort) {
            return;
        }
        let start = Instant::now();
        let request = Request::Run { for_ns: effort.slice.as_nanos() as u64, batch: self.batch };
        match self.contender.ask::<Times>(&request) {
            Ok(times) => self.samples.extend(times.ns),
            Err(failure) => self.entry.score.failure = Some(failure.to_string()),
        }
        self.spent += start.elapsed();
        self.turns += 1;
        self.contender.settle();
    }

    /// Records the times, keeps the process for another race, and returns the processor time of this one.
    fn finish(self) -> f64 {
        let used = self.contender.processor_seconds() - self.before;
        if self.entry.is_fit() {
            let score = &mut self.entry.score;
            score.min_ms = Some(minimum(&self.samples) / 1e6);
            score.median_ms = Some(median(&self.samples) / 1e6);
            score.samples = self.samples.len();
            *self.entry.process = Some(self.contender);
        }
        used
    }
}

/// Compares each contender's first outputs with the first peer's that has any.
fn compare(entries: &mut [Entry<'_>]) {
    let reference = entries.iter().skip(1).position(|entry| !entry.answers.is_empty()).map(|i| i + 1);
    let Some((reference, answers)) = reference.map(|i| (i, entries[i].answers.clone())) else { return };
    for (i, entry) in entries.iter_mut().enumerate() {
        if i == reference || entry.answers.is_empty() {
            continue;
        }
        match agreement::compare(&entry.answers, &answers) {
            Ok(difference) => entry.score.difference = Some(difference),
            Err(failure) => entry.score.disagreement = Some(failure.to_string()),
        }
    }
}
