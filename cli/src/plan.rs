//! `arenite plan`: how much memory a model, or a list of usage records, needs with which planner.

mod banks;
mod bounds;
mod drawing;
mod input;
mod problem;
mod show;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arenite::config::PlannerConfig;
use arenite::{Config, PlanLimits, Registry, Techniques};
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::options::Common;
use banks::{Bank, BanksReport};
use input::InputShape;
use problem::{Contents, Problem, Reading, Unknown};

const NOTES: &str = "\
A problem is a .tflite model; or a .csv file, `id,lower,upper,size` with one buffer a line that is
alive from `lower` to before `upper`; or a .jsonl file, a problem a line:
  {\"records\": [{\"size\": 64, \"first_task\": 0, \"last_task\": 2}, …]}   both ends inclusive
A model is prepared but never run; each subgraph is planned by itself. What lies behind a node whose
shapes only a run tells is left out, and said. --planner all compares every planner.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub struct Arguments {
    /// .tflite models, or usage records: .csv or .jsonl
    #[arg(required = true, value_name = "PROBLEM")]
    problems: Vec<PathBuf>,

    /// Bytes that the plan should fit into
    #[arg(long, value_name = "BYTES")]
    capacity: Option<u64>,

    /// Time for each planner, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Alignment of every record of a .csv or .jsonl file
    #[arg(long, value_name = "BYTES", default_value_t = 1, value_parser = alignment)]
    align: u64,

    /// Lay a model's tensors over one another only by these techniques: comma-separated names, `all` or `none`
    /// [default: those of the config file]
    #[arg(long, value_name = "NAME,…", value_parser = techniques)]
    techniques: Option<Techniques>,

    /// Plan models as TensorFlow Lite does, then without techniques, then with one more at a time, and show
    /// what each saves
    #[arg(long, conflicts_with = "techniques")]
    compare: bool,

    /// Shape of an input, by name or position, as large as it will be: then the plan is an upper bound
    /// (repeatable)
    #[arg(long, value_name = "NAME=1x128", value_parser = input::parse)]
    input: Vec<InputShape>,

    /// A memory and its size, the fastest first: tensors are assigned to several, the most traffic to the
    /// first (repeatable)
    #[arg(long, value_name = "NAME=256K", value_parser = banks::parse, conflicts_with = "compare")]
    bank: Vec<Bank>,

    /// Draw the plan of the first problem and planner as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Draw all plans into one HTML file, with a switch between them
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    pub common: Common,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.filter(|s| !s.is_zero()).ok_or_else(|| "a number of seconds above 0 is needed".into())
}

fn alignment(text: &str) -> Result<u64, String> {
    let bytes = text.parse::<u64>().ok().filter(|bytes| bytes.is_power_of_two());
    bytes.ok_or_else(|| "a power of two is needed".into())
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
                return Err(format!(
                    "there is no technique '{name}'; known: {}",
                    Techniques::NAMES.join(", ")
                ));
            }
        }
    }
    Ok(chosen)
}

#[derive(Serialize)]
struct Report {
    plans: Vec<PlanReport>,
    /// What the techniques save; empty unless asked for.
    compared: Vec<Compared>,
    /// Which tensor lies in which bank; empty unless banks are given.
    banks: Vec<BanksReport>,
    /// Results whose shape only a run tells.
    unknown: Vec<Unknown>,
    /// What could not be planned, and why.
    notes: Vec<String>,
}

/// One problem, one planner.
#[derive(Serialize)]
struct PlanReport {
    problem: String,
    /// The model that the problem is a subgraph of.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    planner: String,
    /// Null if it failed.
    total_bytes: Option<u64>,
    lower_bound_bytes: u64,
    optimal: bool,
    /// Whether it fits, if there is a capacity.
    fits: Option<bool>,
    micros: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    offsets: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_ids: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_sizes: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The arena of a model's main subgraph: by TensorFlow Lite's planner, without techniques, then with one more at a time.
#[derive(Serialize)]
struct Compared {
    problem: String,
    techniques: Vec<TechniqueReport>,
}

#[derive(Serialize)]
struct TechniqueReport {
    technique: &'static str,
    total_bytes: u64,
    lower_bound_bytes: u64,
}

pub fn plan(arguments: &Arguments) -> Result<Answer> {
    let mut config = arguments.common.settings()?;
    config.techniques = arguments.techniques.unwrap_or(config.techniques);
    let registry = Arc::new(Registry::discover(&config)?);
    let planners = chosen_planners(&config, &registry)?;
    let limits = PlanLimits { capacity: arguments.capacity, time: arguments.timeout };
    let reading = Reading {
        alignment: arguments.align,
        config: &config,
        registry: &registry,
        inputs: &arguments.input,
    };
    let mut all = Contents::default();
    for path in &arguments.problems {
        let Contents { problems, unknown, notes } = problem::read(path, &reading)?;
        all.problems.extend(problems);
        all.unknown.extend(unknown);
        all.notes.extend(notes);
    }
    let mut plans = Vec::new();
    let mut drawn = Vec::new();
    for problem in &all.problems {
        for planner in &planners {
            let (report, offsets) = solve(problem, planner, &registry, &limits);
            plans.push(report);
            drawn.push((problem, offsets));
        }
    }
    let with_banks = all.problems.iter().filter(|_| !arguments.bank.is_empty());
    let banks: Vec<BanksReport> = with_banks.map(|problem| banks::report(problem, &arguments.bank)).collect();
    let mut compared = Vec::new();
    for path in arguments.problems.iter().filter(|_| arguments.compare) {
        compared.push(compare(path, &reading)?);
    }
    let pictures: Vec<drawing::Plan> = drawn
        .iter()
        .zip(&plans)
        .filter_map(|((problem, offsets), report)| {
            Some(drawing::Plan::new(problem, offsets.as_ref()?, report))
        })
        .collect();
    let of_banks = all.problems.iter().zip(&banks).filter(|(_, report)| report.error.is_none());
    let of_banks: Vec<drawing::Plan> =
        of_banks.map(|(problem, report)| drawing::Plan::of_banks(problem, report)).collect();
    draw(arguments, of_banks, pictures)?;
    let failed = plans.iter().filter(|plan| plan.error.is_some()).count();
    let mut first = plans.iter().find_map(|plan| plan.error.clone()).filter(|_| failed == plans.len());
    // One planner that refuses is a result where all are compared; banks that do not hold a problem are none.
    first = first.or_else(|| banks.iter().find_map(|report| report.error.clone()));
    let report = Report { plans, compared, banks, unknown: all.unknown, notes: all.notes };
    match first {
        Some(error) => Answer::failed(&report, arguments.common.json, Failure::new(error)),
        None => Answer::new(&report, arguments.common.json),
    }
}

/// Banks come first where there are any: they are what was asked for.
fn draw(arguments: &Arguments, of_banks: Vec<drawing::Plan>, pictures: Vec<drawing::Plan>) -> Result<()> {
    let pictures: Vec<drawing::Plan> = of_banks.into_iter().chain(pictures).collect();
    if let Some(path) = &arguments.svg {
        let first = pictures.first();
        let first = first.ok_or_else(|| Failure::new("no planner found a plan that could be drawn"))?;
        write(path, &drawing::svg(first))?;
    }
    if let Some(path) = &arguments.html {
        write(path, &drawing::html(&arguments.problems[0], &pictures)?)?;
    }
    Ok(())
}

fn chosen_planners(config: &Config, registry: &Registry) -> Result<Vec<PlannerConfig>> {
    match &config.planner {
        Some(planner) if planner.name == "all" => {
            Ok(registry.planner_names().iter().map(|name| PlannerConfig::new(name.as_str())).collect())
        }
        Some(planner) => Ok(vec![planner.clone()]),
        None => Ok(vec![PlannerConfig::new(arenite::DEFAULT_PLANNER)]),
    }
}

fn solve(
    problem: &Problem,
    planner: &PlannerConfig,
    registry: &Registry,
    limits: &PlanLimits,
) -> (PlanReport, Option<Vec<u64>>) {
    let start = Instant::now();
    let planned = registry.plan(planner, &problem.records, limits);
    let micros = start.elapsed().as_micros() as u64;
    let mut report = PlanReport {
        problem: problem.name.clone(),
        model: problem.model.clone(),
        planner: planner.name.clone(),
        total_bytes: None,
        lower_bound_bytes: arenite::plan::lower_bound(&problem.records),
        optimal: false,
        fits: None,
        micros,
        offsets: None,
        object_ids: None,
        object_sizes: None,
        error: None,
    };
    let offsets = match planned {
        Ok(plan) => {
            report.optimal = plan.optimal;
            report.fits = limits.capacity.map(|capacity| plan.total_bytes <= capacity);
            match plan.objects {
                // The sum of the objects, without the gaps that alignment leaves between them.
                Some(objects) => {
                    report.total_bytes = Some(objects.sizes.iter().fold(0, |sum, s| sum.saturating_add(*s)));
                    (report.object_ids, report.object_sizes) = (Some(objects.ids), Some(objects.sizes));
                }
                None => {
                    report.total_bytes = Some(plan.total_bytes);
                    report.offsets = Some(plan.offsets.clone());
                }
            }
            Some(plan.offsets)
        }
        Err(error) => {
            report.error = Some(error.to_string());
            None
        }
    };
    (report, offsets)
}

fn compare(path: &Path, reading: &Reading<'_>) -> Result<Compared> {
    let mut config = reading.config.clone();
    config.techniques = Techniques::NONE;
    let planner = config.planner.clone().filter(|planner| planner.name != "all");
    let planner = planner.unwrap_or_else(|| PlannerConfig::new(arenite::DEFAULT_PLANNER));
    let mut compared = Compared { problem: String::new(), techniques: Vec::new() };
    for technique in [TFLITE, "none"].into_iter().chain(Techniques::NAMES) {
        if let Some(technique) = config.techniques.named(technique) {
            *technique = true;
        }
        let contents = problem::read(path, &Reading { config: &config, ..*reading })?;
        let Some(main) = contents.problems.into_iter().next().filter(|problem| problem.model.is_some())
        else {
            return Err(Failure::with(path.display(), "techniques are compared for models only"));
        };
        let tflite = PlannerConfig::new("arena");
        let planner = if technique == TFLITE { &tflite } else { &planner };
        let plan = reading.registry.plan(planner, &main.records, &PlanLimits::default())?;
        compared.problem = main.name;
        compared.techniques.push(TechniqueReport {
            technique,
            total_bytes: plan.total_bytes,
            lower_bound_bytes: plan.lower_bound,
        });
    }
    Ok(compared)
}

/// TensorFlow Lite's arena: its planner, and no technique.
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
            assert_eq!(seconds(wrong).unwrap_err(), "a number of seconds above 0 is needed", "{wrong}");
        }
        assert_eq!(alignment("64").unwrap(), 64);
        assert_eq!(alignment("48").unwrap_err(), "a power of two is needed");
        assert_eq!(techniques("all").unwrap(), Techniques::ALL);
        assert_eq!(
            techniques("views,concat").unwrap(),
            Techniques { views: true, concat: true, ..Techniques::NONE }
        );
        assert!(
            techniques("view")
                .unwrap_err()
                .starts_with("there is no technique 'view'; known: views, in_place")
        );
    }
}
