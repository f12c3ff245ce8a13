//! `arenite plan`: how much memory a model, or a list of usage records, needs with which planner.

mod drawing;
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
use problem::Problem;

const NOTES: &str = "\
A problem is a .tflite model; or a .csv file, `id,lower,upper,size` with one buffer a line that is
alive from `lower` to before `upper`; or a .jsonl file, a problem a line:
  {\"records\": [{\"size\": 64, \"first_task\": 0, \"last_task\": 2}, …]}   both ends inclusive
A model is prepared but never run; what lies behind a node whose shapes only a run tells is left
out, and said. --planner all compares every planner.";

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

    /// Plan models without techniques, then with one more at a time, and show what each saves
    #[arg(long, conflicts_with = "techniques")]
    compare: bool,

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
    /// What could not be planned, and why.
    notes: Vec<String>,
}

/// One problem, one planner.
#[derive(Serialize)]
struct PlanReport {
    problem: String,
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

/// The arena of a model's main subgraph: without techniques, then with one more at a time.
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
    let (mut problems, mut notes) = (Vec::new(), Vec::new());
    for path in &arguments.problems {
        let (read, left_out) = problem::read(path, arguments.align, &config, &registry)?;
        problems.extend(read);
        notes.extend(left_out);
    }
    let mut plans = Vec::new();
    let mut drawn = Vec::new();
    for problem in &problems {
        for planner in &planners {
            let (report, offsets) = solve(problem, planner, &registry, &limits);
            plans.push(report);
            drawn.push((problem, offsets));
        }
    }
    let mut compared = Vec::new();
    for path in arguments.problems.iter().filter(|_| arguments.compare) {
        compared.push(compare(path, &config, &registry)?);
    }
    if let Some(path) = &arguments.svg {
        let first = drawn
            .iter()
            .zip(&plans)
            .find_map(|((problem, offsets), report)| Some(drawing::svg(problem, offsets.as_ref()?, report)));
        write(path, &first.ok_or_else(|| Failure::new("no planner found a plan that could be drawn"))?)?;
    }
    if let Some(path) = &arguments.html {
        let pages = drawn
            .iter()
            .zip(&plans)
            .filter_map(|((problem, offsets), report)| Some((*problem, offsets.as_deref()?, report)));
        write(path, &drawing::html(&arguments.problems[0], &pages.collect::<Vec<_>>())?)?;
    }
    let failed = plans.iter().filter(|plan| plan.error.is_some()).count();
    let first = plans.iter().find_map(|plan| plan.error.clone());
    let report = Report { plans, compared, notes };
    match first {
        // One planner that refuses is a result where all are compared.
        Some(error) if failed == report.plans.len() => {
            Answer::failed(&report, arguments.common.json, Failure::new(error))
        }
        _ => Answer::new(&report, arguments.common.json),
    }
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

fn compare(path: &Path, config: &Config, registry: &Arc<Registry>) -> Result<Compared> {
    let mut config = config.clone();
    config.techniques = Techniques::NONE;
    let planner = config.planner.clone().filter(|planner| planner.name != "all");
    let planner = planner.unwrap_or_else(|| PlannerConfig::new(arenite::DEFAULT_PLANNER));
    let mut compared = Compared { problem: String::new(), techniques: Vec::new() };
    for technique in ["none"].into_iter().chain(Techniques::NAMES) {
        if let Some(technique) = config.techniques.named(technique) {
            *technique = true;
        }
        let (problems, _) = problem::read(path, 1, &config, registry)?;
        let Some(main) = problems.into_iter().next().filter(|problem| problem.is_model) else {
            return Err(Failure::with(path.display(), "techniques are compared for models only"));
        };
        let plan = registry.plan(&planner, &main.records, &PlanLimits::default())?;
        compared.problem = main.name;
        compared.techniques.push(TechniqueReport {
            technique,
            total_bytes: plan.total_bytes,
            lower_bound_bytes: plan.lower_bound,
        });
    }
    Ok(compared)
}

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
