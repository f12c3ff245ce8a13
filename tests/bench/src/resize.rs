//! `resize`: measures the stages of a model before it runs, and resizes of its inputs.
//!
//! Contenders take turns: one goes through all stages, starting from the file, then the next. Each round starts with
//! another contender.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::process;
use std::time::{Duration, Instant};

use arenite_model::{Model, ModelBuffer};
use clap::Args;
use serde::Serialize;

use crate::contender::Contender;
use crate::definitions::{ContenderDefinition, Places, Subject};
use crate::failure::{Failure, Result};
use crate::machine::{self, Load, Machine};
use crate::measure::{Effort, wait_for_quiet};
use crate::options::Options;
use crate::protocol::{Request, Resized, Stage};
use crate::selection::Selection;
use crate::statistics::{median, minimum};
use crate::table::{Table, digits};
use crate::{csv, inputs};

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,

    #[command(flatten)]
    options: Options,
}

/// The default seconds of a contender's rounds, and the minimum number of rounds.
const SECONDS: f64 = 3.0;
const ROUNDS: usize = 5;

/// Image sides of at least this length are shortened by `LESS`.
const IMAGE: i32 = 64;
const LESS: i32 = 32;

#[derive(Debug, Serialize)]
pub(crate) struct ResizeReport {
    pub machine: Machine,
    pub cases: Vec<Case>,
}

/// A model at a number of threads.
#[derive(Debug, Serialize)]
pub(crate) struct Case {
    pub model: String,
    pub kind: String,
    pub threads: usize,
    /// The inputs' own shapes, and the other shapes.
    pub shapes: Vec<Vec<i32>>,
    pub other_shapes: Vec<Vec<i32>>,
    pub scores: Vec<Score>,
    /// The number of processors that others used during the measurement.
    pub others_cores: f64,
}

/// A contender with a model.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Score {
    pub contender: String,
    pub version: String,
    pub rounds: usize,
    pub stages: BTreeMap<Stage, Figure>,
    /// Why the other shapes were not measured.
    pub refused: Option<String>,
    pub failure: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Figure {
    pub min_ms: f64,
    pub median_ms: f64,
}

/// Runs the command.
pub(crate) fn resize(arguments: &Arguments) -> Result<()> {
    let options = &arguments.options;
    let places = options.places()?;
    let definitions = options.definitions()?;
    let contenders = options.contenders(&definitions)?;
    let effort = options.effort(SECONDS, 0);
    let mut report = ResizeReport { machine: options.machine(), cases: Vec::new() };
    for subject in arguments.selection.subjects(&definitions, &places)? {
        for threads in options.threads(&definitions) {
            wait_for_quiet(effort.patience);
            match measure(&subject, threads, &contenders, &places, &effort) {
                Ok(case) => {
                    eprintln!("{} with {threads} threads", subject.title());
                    report.cases.push(case);
                }
                Err(failure) => eprintln!("{}: {failure}", subject.title()),
            }
        }
    }
    options.print(&report)?;
    if options.record {
        let path = csv::record_resizes(&report, &places.bench.join("results"))?;
        eprintln!("written: {}", path.display());
    }
    Ok(())
}

fn measure(
    subject: &Subject,
    threads: usize,
    contenders: &[ContenderDefinition],
    places: &Places,
    effort: &Effort,
) -> Result<Case> {
    let file =
        ModelBuffer::from_file(&subject.file).map_err(|error| Failure::with(subject.title(), error))?;
    let folder = tempfile::tempdir().map_err(|error| Failure::with("temporary folder", error))?;
    let inputs = inputs::write(&file.model(), folder.path())?;
    let shapes = input_shapes(&file.model());
    let other_shapes: Vec<Vec<i32>> = shapes.iter().map(|shape| other(shape)).collect();
    let there = contenders.iter().filter(|definition| subject.file_for(definition.reads).is_file());
    let mut entrants: Vec<Entrant> = there
        .map(|definition| {
            let model = subject.file_for(definition.reads);
            let (inputs, shapes) = (inputs.clone(), other_shapes.clone());
            Entrant::start(definition, places, Request::Resize { model, threads, inputs, shapes })
        })
        .collect();
    let begin = (Load::now(), Instant::now(), machine::processor_seconds(process::id()));
    let mut round = 0;
    while entrants.iter().any(|entrant| entrant.wants_more(effort)) {
        for i in 0..entrants.len() {
            let turn = (i + round) % entrants.len();
            entrants[turn].take_turn(effort);
        }
        round += 1;
    }
    let load = Load::now().since(begin.0);
    let own = machine::processor_seconds(process::id()) - begin.2;
    let used: f64 = entrants.iter().map(Entrant::processor_seconds).sum();
    Ok(Case {
        model: subject.model.clone(),
        kind: subject.kind.clone(),
        threads,
        shapes,
        other_shapes,
        others_cores: ((load.busy - own - used).max(0.0) + load.stolen) / begin.1.elapsed().as_secs_f64(),
        scores: entrants.into_iter().map(Entrant::finish).collect(),
    })
}

fn input_shapes(model: &Model<'_>) -> Vec<Vec<i32>> {
    let Some(graph) = model.subgraph(0) else { return Vec::new() };
    let tensors = graph.inputs().iter().map(|index| graph.tensors().get(usize::try_from(index).ok()?));
    tensors.map(|tensor| tensor.map_or(Vec::new(), |tensor| tensor.shape().iter().collect())).collect()
}

/// The other shape of an input: a smaller image, or twice the batch.
fn other(shape: &[i32]) -> Vec<i32> {
    match *shape {
        [batch, height, width, channels] if height.min(width) >= IMAGE => {
            vec![batch, height - LESS, width - LESS, channels]
        }
        [batch, ref rest @ ..] => [&[batch.saturating_mul(2)], rest].concat(),
        [] => Vec::new(),
    }
}

/// A contender's process with its replies so far.
struct Entrant {
    score: Score,
    request: Request,
    /// `None` if it could not be started.
    process: Option<Contender>,
    /// The processor time used before, in seconds.
    before: f64,
    ns: BTreeMap<Stage, Vec<f64>>,
    spent: Duration,
}

impl Entrant {
    fn start(definition: &ContenderDefinition, places: &Places, request: Request) -> Self {
        let mut score = Score { contender: definition.name.clone(), ..Score::default() };
        let process = match Contender::start(definition, places) {
            Ok(process) => {
                score.version.clone_from(&process.version);
                Some(process)
            }
            Err(failure) => {
                score.failure = Some(failure.to_string());
                None
            }
        };
        let before = process.as_ref().map_or(0.0, Contender::processor_seconds);
        Entrant { score, request, process, before, ns: BTreeMap::new(), spent: Duration::ZERO }
    }

    fn wants_more(&self, effort: &Effort) -> bool {
        self.score.failure.is_none() && (self.spent < effort.race || self.score.rounds < ROUNDS)
    }

    fn take_turn(&mut self, effort: &Effort) {
        let wants_more = self.wants_more(effort);
        let Some(process) = self.process.as_mut().filter(|_| wants_more) else { return };
        let start = Instant::now();
        match process.ask::<Resized>(&self.request) {
            Ok(Resized { ns, refused }) => {
                ns.into_iter().for_each(|(stage, ns)| self.ns.entry(stage).or_default().push(ns));
                self.score.refused = refused;
            }
            Err(failure) => self.score.failure = Some(failure.to_string()),
        }
        self.spent += start.elapsed();
        self.score.rounds += 1;
        process.settle();
    }

    fn processor_seconds(&self) -> f64 {
        self.process.as_ref().map_or(0.0, |process| process.processor_seconds() - self.before)
    }

    fn finish(mut self) -> Score {
        let figure = |ns: &[f64]| Figure { min_ms: minimum(ns) / 1e6, median_ms: median(ns) / 1e6 };
        self.score.stages = self.ns.iter().map(|(&stage, ns)| (stage, figure(ns))).collect();
        self.score
    }
}

impl Score {
    /// Both resizes in percent of the first allocation.
    pub(crate) fn percent_of_allocation(&self) -> Option<f64> {
        let min = |stage| Some(self.stages.get(&stage)?.min_ms);
        Some(100.0 * (min(Stage::There)? + min(Stage::Back)?) / min(Stage::Allocate)?)
    }

    /// `8.53 / 8.71`: minimum and median, scaled from milliseconds by `scale`.
    fn cell(&self, stage: Stage, scale: f64) -> String {
        match self.stages.get(&stage) {
            Some(figure) => {
                format!("{} / {}", digits(figure.min_ms * scale), digits(figure.median_ms * scale))
            }
            None => "–".to_owned(),
        }
    }
}

/// `{:#}` prints Markdown.
impl Display for ResizeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {} cores", self.machine.processor, self.machine.cores)?;
        writeln!(f, "\nminimum / median in ms, of 'again' and 'same' in µs\n")?;
        self.table().fmt(f)?;
        for case in &self.cases {
            for score in &case.scores {
                let title = format!("{} {} with {} threads", case.model, case.kind, case.threads);
                let failed = score.failure.iter().map(|text| format!("{title}: {text}"));
                let refused = score.refused.iter();
                let refused = refused.map(|text| {
                    format!("{title}: {} refused {:?}: {text}", score.contender, case.other_shapes)
                });
                failed.chain(refused).try_for_each(|line| writeln!(f, "\n{line}"))?;
            }
        }
        Ok(())
    }
}

impl ResizeReport {
    fn table(&self) -> Table {
        let heads = ["model", "kind", "contender", "thr", "load", "allocate", "first run", "run", "again µs"];
        let rest = ["same µs", "there", "back", "% of allocate", "others' load"];
        let mut table = Table::new(3, heads.into_iter().chain(rest).map(str::to_owned));
        for case in &self.cases {
            for score in &case.scores {
                let title = [&case.model, &case.kind, &score.contender].map(String::clone);
                let ms = [Stage::Load, Stage::Allocate, Stage::First, Stage::Run];
                let us = [Stage::Again, Stage::Same];
                let resizes = match score.refused {
                    Some(_) => ["refused", "–", "–"].map(str::to_owned),
                    None => [
                        score.cell(Stage::There, 1.0),
                        score.cell(Stage::Back, 1.0),
                        score.percent_of_allocation().map_or("–".to_owned(), digits),
                    ],
                };
                let cells = title.into_iter().chain([case.threads.to_string()]);
                let cells = cells.chain(ms.map(|stage| score.cell(stage, 1.0)));
                let cells = cells.chain(us.map(|stage| score.cell(stage, 1e3)));
                table.row(cells.chain(resizes).chain([format!("{:.2}", case.others_cores)]));
            }
        }
        table
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn report() -> ResizeReport {
        let figure = |ms: f64| Figure { min_ms: ms, median_ms: 2.0 * ms };
        let stages = [
            (Stage::Load, 1.0),
            (Stage::Allocate, 50.0),
            (Stage::Again, 0.001),
            (Stage::There, 1.5),
            (Stage::Back, 0.5),
        ];
        let stages = stages.map(|(stage, ms)| (stage, figure(ms))).into_iter().collect();
        let score = |contender: &str, stages, refused: Option<&str>| Score {
            contender: contender.into(),
            version: "1.0".into(),
            rounds: 5,
            stages,
            refused: refused.map(str::to_owned),
            failure: None,
        };
        ResizeReport {
            machine: Machine { processor: "some processor".into(), cores: 2, cap: None },
            cases: vec![Case {
                model: "net".into(),
                kind: "f32".into(),
                threads: 1,
                shapes: vec![vec![1, 224, 224, 3]],
                other_shapes: vec![vec![1, 192, 192, 3]],
                scores: vec![
                    score("arenite", stages, None),
                    score("peer", BTreeMap::new(), Some("it is constant")),
                ],
                others_cores: 0.25,
            }],
        }
    }

    #[test]
    fn images_become_smaller_and_other_batches_larger() {
        assert_eq!(other(&[1, 224, 224, 3]), [1, 192, 192, 3]);
        assert_eq!(other(&[1, 49, 10, 1]), [2, 49, 10, 1]);
        assert_eq!(other(&[1, 128]), [2, 128]);
        assert_eq!(other(&[]), [0; 0]);
    }

    #[test]
    fn a_report_shows_resizes_as_a_part_of_the_first_allocation() {
        let text = report().to_string();
        let words = |start: &str| {
            let line = text.lines().find(|line| line.starts_with(start)).unwrap();
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        let own =
            "net f32 arenite 1 1.00 / 2.00 50.0 / 100 – – 1.00 / 2.00 – 1.50 / 3.00 0.500 / 1.00 4.00 0.25";
        assert_eq!(words("net  "), own);
        assert_eq!(words("net    f32   peer"), "net f32 peer 1 – – – – – – refused – – 0.25");
        assert_eq!(
            words("net f32 with"),
            "net f32 with 1 threads: peer refused [[1, 192, 192, 3]]: it is constant"
        );
    }
}
