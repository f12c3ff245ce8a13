//! `arenite plan`: shows how much memory each planner needs for a model or for a list of usage records.

mod ascii;
mod banks;
mod bounds;
mod devices;
pub(crate) mod drawing;
pub(crate) mod drawings;
mod embed;
mod input;
mod micro;
mod model;
mod planners;
pub(crate) mod problem;
mod report;
mod show;
mod solved;
mod solver;
mod svg;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{PlanLimits, Registry, Techniques};
use arenite_micro::Target;
use clap::Args;

use crate::answer::{Answer, Failure, Result};
use crate::limits;
use crate::options::Common;
use banks::Bank;
use input::InputShape;
use planners::{chosen_planners, one_planner};
use problem::{Problem, Source};
use report::{PlanReport, Report, TechniqueComparison, TechniqueReport};
use solved::{PlanningFailure, SolvedProblem};
use solver::Solver;

const NOTES: &str = "\
A problem is one of
  a .tflite model
  a .csv file with the columns `id,lower,upper,size`: one buffer per line; `upper` is exclusive, or
  `forever`
  a .jsonl file with one problem per line; `last_task` is inclusive, or absent for a buffer that
  lives until the end:
    {\"records\": [{\"size\": 64, \"first_task\": 0, \"last_task\": 2}, …]}
  The objects of a device, such as textures, have `extents` instead of `size`. With `readers`, the
  records computed from each record, nodes may run in any order that their data allow:
    {\"records\": [{\"extents\": [8, 4], \"first_task\": 0, \"last_task\": 1, \"readers\": [1]}, …]}
A model is prepared exactly as for `run`, but not run. Delegates report the buffers that they use
inside their partitions and on their devices. Each subgraph is planned on its own. Nodes after one
whose output shapes depend on data are left unplanned, with a note.
--planner all compares every planner.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    /// .tflite models, or usage records: .csv or .jsonl
    #[arg(required = true, value_name = "PROBLEM")]
    problems: Vec<PathBuf>,

    /// Memory limit in bytes. For usage records the planner must meet it; a model's plan is only compared with it
    #[arg(long, value_name = "BYTES")]
    capacity: Option<u64>,

    /// Time limit for each planner, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Alignment of every record of a .csv or .jsonl file
    #[arg(long, value_name = "BYTES", default_value_t = 1, value_parser = alignment)]
    align: u64,

    /// Let a model's tensors share memory only by these techniques: comma-separated names, `all` or `none` [default: as
    /// in the config file]
    #[arg(long, value_name = "NAME,…", value_parser = techniques)]
    techniques: Option<Techniques>,

    /// Plan models as TensorFlow Lite does, then without techniques, then with one more technique at a time, and show
    /// what each saves
    #[arg(long, conflicts_with = "techniques")]
    compare: bool,

    /// Give an input its largest shape, by position or name; the plan is then an upper bound (repeatable)
    #[arg(long = "resize", value_name = "K|NAME=1x128", value_parser = input::parse, alias = "input")]
    input: Vec<InputShape>,

    /// A memory and its size, fastest first. Assigns tensors to several memories, those with the most traffic to the
    /// first (repeatable)
    #[arg(long, value_name = "NAME=256K", value_parser = banks::parse, conflicts_with = "compare")]
    bank: Vec<Bank>,

    /// Write the model to this file with a memory plan in its metadata (`OfflineMemoryAllocation`), for
    /// microcontrollers: tensors are 16-byte aligned and inputs may be overwritten after their last use
    #[arg(long, value_name = "FILE")]
    embed: Option<PathBuf>,

    /// Show how much arena the models need on small machines, with the reference ops
    #[arg(long, conflicts_with_all = ["compare", "bank", "embed", "svg", "html", "input",
        "capacity", "align", "techniques", "ascii"])]
    micro: bool,

    /// The machine for --micro: cortex-m4, also called thumbv7em-none-eabihf as in
    /// ffi/micro/build.sh [default: this one]
    #[arg(long, value_name = "NAME", requires = "micro", value_parser = crate::embed::target)]
    target: Option<Target>,

    /// Draw each plan in characters: steps from left to right, offsets from bottom to top
    #[arg(long)]
    ascii: bool,

    /// Draw the plan of the first problem as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Draw all plans into one HTML file, with menus to choose between them
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    pub common: Common,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.filter(|s| !s.is_zero()).ok_or_else(|| "expected a number of seconds above 0".into())
}

fn alignment(text: &str) -> Result<u64, String> {
    let bytes = text.parse::<u64>().ok().filter(|bytes| bytes.is_power_of_two());
    bytes.ok_or_else(|| "expected a power of two".into())
}

fn techniques(text: &str) -> Result<Techniques, String> {
    match text {
        "all" => return Ok(Techniques::ALL),
        "none" => return Ok(Techniques::NONE),
        _ => {}
    }
    let mut chosen = Techniques::NONE;
    for name in text.split(',') {
        match chosen.named(name) {
            Some(technique) => *technique = true,
            None => {
                return Err(format!("unknown technique '{name}'; known: {}", Techniques::NAMES.join(", ")));
            }
        }
    }
    Ok(chosen)
}

pub(crate) fn plan(arguments: &Arguments) -> Result<Answer> {
    let mut config = arguments.common.settings()?;
    config.techniques = arguments.techniques.unwrap_or(config.techniques);
    limits::limit_heap(&config, arguments.common.json, &arguments.problems);
    let registry = Arc::new(Registry::discover(&config)?);
    let solver = Solver {
        config: &config,
        registry: &registry,
        inputs: &arguments.input,
        limits: PlanLimits { capacity: arguments.capacity, time: arguments.timeout },
    };
    if arguments.micro {
        let report = micro::report(&arguments.problems, arguments.target, &solver)?;
        return Answer::new(&report, arguments.common.json);
    }
    let mut work =
        PlanJob { arguments, solver, report: Report::default(), pictures: Vec::new(), banks: Vec::new() };
    for path in &arguments.problems {
        let problems = problem::read(path, arguments.align)?;
        problems.iter().try_for_each(|problem| work.plan(problem))?;
        for main in problems.first().into_iter().filter(|_| arguments.compare) {
            work.report.compared.push(compare(path, main, &solver)?);
        }
    }
    work.draw()?;
    if let Some(out) = &arguments.embed {
        work.report.notes.push(embed::embed(&arguments.problems, out, &solver)?);
    }
    let report = work.report;
    match report.failure() {
        Some(error) => Answer::failed(&report, arguments.common.json, Failure::new(error)),
        None => Answer::new(&report, arguments.common.json),
    }
}

/// The settings and the results of planning one problem after another.
struct PlanJob<'a> {
    arguments: &'a Arguments,
    solver: Solver<'a>,
    report: Report,
    pictures: Vec<drawing::Plan>,
    /// Drawings of bank assignments.
    banks: Vec<drawing::Plan>,
}

impl PlanJob<'_> {
    /// Plans a problem with each planner, and assigns it to banks if there are any.
    fn plan(&mut self, problem: &Problem) -> Result<()> {
        let planners = chosen_planners(self.solver.config, self.solver.registry);
        let mut given = Vec::new();
        for (i, planner) in planners.iter().enumerate() {
            let solved = match self.solver.solve(problem, planner) {
                Err(PlanningFailure::Problem(failure)) => return self.leave_out(problem, failure),
                Err(PlanningFailure::Planner(error)) => Err(error),
                Ok(solved) => Ok(solved),
            };
            self.report_and_draw(problem, planner, &solved, i == 0);
            if let (Ok(mut solved), 0) = (solved, i) {
                self.report.unknown.append(&mut solved.unknown);
                self.report.notes.append(&mut solved.notes);
                given = solved.devices;
            }
        }
        for (problem, planner, solved) in given.iter().map(|given| devices::problem(&problem.name, given)) {
            self.report_and_draw(&problem, &planner, &Ok(solved), true);
        }
        match (&problem.source, self.arguments.bank.is_empty()) {
            (_, true) => Ok(()),
            (Source::Objects(_), false) => Err(Failure::with(
                &problem.name,
                "objects of a device have no addresses and cannot be assigned to banks: omit --bank",
            )),
            (_, false) => self.assign(problem),
        }
    }

    fn report_and_draw(
        &mut self,
        problem: &Problem,
        planner: &PlannerConfig,
        solved: &Result<SolvedProblem, String>,
        in_use: bool,
    ) {
        let plan = PlanReport::new(problem, planner, solved, self.arguments.capacity);
        if let (Ok(solved), true) = (solved, self.draws()) {
            let picture = drawing::Plan::new(problem, planner, solved);
            self.pictures.push(drawing::Plan { in_use, ..picture });
        }
        self.report.plans.push(plan);
    }

    /// Notes that a problem could not be planned: a subgraph may need values that only its caller has.
    fn leave_out(&mut self, problem: &Problem, failure: Failure) -> Result<()> {
        match problem.source {
            Source::Subgraph { index: 1.., .. } => {
                self.report.notes.push(format!("{}: {failure}", problem.name));
                Ok(())
            }
            _ => Err(failure),
        }
    }

    fn assign(&mut self, problem: &Problem) -> Result<()> {
        let solved = self.solver.solve(problem, &one_planner(self.solver.config));
        let solved = solved.map_err(PlanningFailure::into_failure)?;
        let report = banks::report(&problem.name, &solved, &self.arguments.bank);
        if report.error.is_none() && self.draws() {
            self.banks.push(drawing::Plan::of_banks(problem, &solved, &report));
        }
        self.report.banks.push(report);
        Ok(())
    }

    fn draws(&self) -> bool {
        self.arguments.ascii || self.arguments.svg.is_some() || self.arguments.html.is_some()
    }

    /// Writes the drawings. Bank assignments come first if there are any, because the user asked for them.
    fn draw(&mut self) -> Result<()> {
        let pictures: Vec<drawing::Plan> = self.banks.drain(..).chain(self.pictures.drain(..)).collect();
        if self.arguments.ascii {
            self.report.drawings = pictures.iter().map(ascii::ascii).collect();
        }
        if let Some(path) = &self.arguments.svg {
            let first = pictures.first();
            let first = first.ok_or_else(|| Failure::new("no planner found a plan that could be drawn"))?;
            write(path, &svg::svg(first))?;
        }
        if let Some(path) = &self.arguments.html {
            write(path, &drawing::html(&self.arguments.problems[0], &pictures)?)?;
        }
        Ok(())
    }
}

/// Compares techniques on a model's main subgraph.
fn compare(path: &Path, main: &Problem, solver: &Solver<'_>) -> Result<TechniqueComparison> {
    if main.model().is_none() {
        return Err(Failure::with(path.display(), "techniques are compared for models only"));
    }
    let planner = one_planner(solver.config);
    let mut config = solver.config.clone();
    config.techniques = Techniques::NONE;
    let mut techniques = Vec::new();
    for technique in [TFLITE, "none"].into_iter().chain(Techniques::NAMES) {
        if let Some(technique) = config.techniques.named(technique) {
            *technique = true;
        }
        let tflite = PlannerConfig::new("arena");
        let planner = if technique == TFLITE { &tflite } else { &planner };
        let limits = PlanLimits::default();
        let solved = Solver { config: &config, limits, ..*solver }.solve(main, planner);
        let solved = solved.map_err(PlanningFailure::into_failure)?;
        techniques.push(TechniqueReport {
            technique,
            total_bytes: solved.total,
            lower_bound_bytes: solved.bound,
        });
    }
    Ok(TechniqueComparison { problem: main.name.clone(), techniques })
}

/// The name of TensorFlow Lite's planner, used without techniques.
const TFLITE: &str = "TFLite";

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| Failure::with(path.display(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_checked() {
        assert_eq!(seconds("0.5").unwrap(), Duration::from_millis(500));
        for wrong in ["0", "-1", "nan", "inf", "x"] {
            assert_eq!(seconds(wrong).unwrap_err(), "expected a number of seconds above 0", "{wrong}");
        }
        assert_eq!(alignment("64").unwrap(), 64);
        assert_eq!(alignment("48").unwrap_err(), "expected a power of two");
        assert_eq!(techniques("all").unwrap(), Techniques::ALL);
        assert_eq!(
            techniques("views,concat").unwrap(),
            Techniques { views: true, concat: true, ..Techniques::NONE }
        );
        assert!(
            techniques("view").unwrap_err().starts_with("unknown technique 'view'; known: views, in_place")
        );
    }
}
