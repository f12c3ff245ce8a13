//! What the command found.

use arenite::UsageRecord;
use arenite::config::PlannerConfig;
use serde::Serialize;

use super::banks::BanksReport;
use super::problem::{Problem, Source};
use super::solved::{Part, Solved, Unknown};

#[derive(Default, Serialize)]
pub struct Report {
    pub plans: Vec<PlanReport>,
    /// What the techniques save; empty unless asked for.
    pub compared: Vec<Compared>,
    /// Which tensor lies in which bank; empty unless banks are given.
    pub banks: Vec<BanksReport>,
    /// Results whose shape only a run tells.
    pub unknown: Vec<Unknown>,
    /// What could not be planned, and why.
    pub notes: Vec<String>,
}

/// One problem, one planner.
#[derive(Serialize)]
pub struct PlanReport {
    pub problem: String,
    /// The model that the problem is a subgraph of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub planner: String,
    /// Null if it failed.
    pub total_bytes: Option<u64>,
    /// Null if a model's planner failed.
    pub lower_bound_bytes: Option<u64>,
    /// How many buffers are planned.
    pub buffer_count: Option<usize>,
    /// Steps of a model, those inside of partitions too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    pub optimal: bool,
    /// Whether it fits, if there is a capacity.
    pub fits: Option<bool>,
    pub micros: u64,
    /// Of the records of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_ids: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_sizes: Option<Vec<u64>>,
    /// What lies where in a model's arena.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensors: Option<Vec<Place>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The arena of a model's main subgraph: by TensorFlow Lite's planner, without techniques, then with one more at a time.
#[derive(Serialize)]
pub struct Compared {
    pub problem: String,
    pub techniques: Vec<TechniqueReport>,
}

#[derive(Serialize)]
pub struct TechniqueReport {
    pub technique: &'static str,
    pub total_bytes: u64,
    pub lower_bound_bytes: u64,
}

/// A tensor, or scratch memory.
#[derive(Serialize)]
pub struct Place {
    pub name: String,
    /// What writes it.
    pub op: String,
    pub offset: u64,
    pub bytes: u64,
    pub first_step: u32,
    /// Null: until the end.
    pub last_step: Option<u32>,
}

impl Report {
    /// Why the command failed. One planner that refuses is a result where all are compared; banks that do not hold a problem are
    /// none.
    pub fn failure(&self) -> Option<String> {
        let mut errors = self.plans.iter().map(|plan| plan.error.as_ref());
        let first = if errors.clone().all(|error| error.is_some()) { errors.next().flatten() } else { None };
        first.or_else(|| self.banks.iter().find_map(|report| report.error.as_ref())).cloned()
    }
}

impl PlanReport {
    pub fn new(
        problem: &Problem,
        planner: &PlannerConfig,
        solved: &Result<Solved, String>,
        capacity: Option<u64>,
    ) -> Self {
        let found = solved.as_ref().ok();
        let objects = found.and_then(|solved| solved.objects.clone());
        let records = match &problem.source {
            Source::Table(records) => Some(records),
            Source::Subgraph { .. } => None,
        };
        let bound = || records.map(|records| arenite::plan::lower_bound(records));
        PlanReport {
            problem: problem.name.clone(),
            model: problem.model().map(str::to_owned),
            planner: planner.name.clone(),
            total_bytes: found.map(|solved| solved.total),
            lower_bound_bytes: found.map(|solved| solved.bound).or_else(bound),
            buffer_count: found
                .map(|solved| solved.records.iter().filter(|record| record.size > 0).count())
                .or(records.map(Vec::len)),
            steps: found.and_then(|solved| solved.steps),
            optimal: found.is_some_and(|solved| solved.optimal),
            fits: capacity.and_then(|capacity| Some(found?.total <= capacity)),
            micros: found.map_or(0, |solved| solved.time.as_micros() as u64),
            offsets: found.filter(|_| records.is_some() && objects.is_none()).map(|s| s.offsets.clone()),
            object_ids: objects.as_ref().map(|objects| objects.ids.clone()),
            object_sizes: objects.map(|objects| objects.sizes),
            tensors: found.filter(|_| records.is_none()).map(places),
            error: solved.as_ref().err().cloned(),
        }
    }
}

/// By offset.
fn places(solved: &Solved) -> Vec<Place> {
    let place = |part: &Part| Place {
        name: part.name.clone(),
        op: part.op.clone(),
        offset: solved.offset_of(part),
        bytes: part.size,
        first_step: part.first,
        last_step: (part.last != UsageRecord::FOREVER).then_some(part.last),
    };
    let mut places: Vec<Place> = solved.parts.iter().filter(|part| part.size > 0).map(place).collect();
    places.sort_by_key(|place| (place.offset, place.first_step));
    places
}
