//! The results of the command.

use arenite::UsageRecord;
use arenite::config::PlannerConfig;
use serde::Serialize;

use super::banks::BanksReport;
use super::problem::{Problem, Source};
use super::solved::{Part, SolvedProblem, UnknownShape};

#[derive(Default, Serialize)]
pub(super) struct Report {
    pub plans: Vec<PlanReport>,
    /// Memory saved by each technique; empty without `--compare`.
    pub compared: Vec<TechniqueComparison>,
    /// Tensors assigned to banks; empty without `--bank`.
    pub banks: Vec<BanksReport>,
    /// Results whose shape is known only after they are computed.
    pub unknown: Vec<UnknownShape>,
    /// What could not be planned, and why.
    pub notes: Vec<String>,
    /// The plans drawn in characters, with `--ascii`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drawings: Vec<String>,
}

/// One problem planned by one planner.
#[derive(Serialize)]
pub(super) struct PlanReport {
    pub problem: String,
    /// The model that contains the problem, if it is a subgraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub planner: String,
    /// Null if planning failed.
    pub total_bytes: Option<u64>,
    /// Null if planning a model failed.
    pub lower_bound_bytes: Option<u64>,
    /// Number of buffers in the plan.
    pub buffer_count: Option<usize>,
    /// Number of steps of a model, including those inside partitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    pub optimal: bool,
    /// Whether the plan fits the capacity, if one was given.
    pub fits: Option<bool>,
    pub micros: u64,
    /// Offsets of the records of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_ids: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_sizes: Option<Vec<u64>>,
    /// The extents of objects without addresses; unused ones are 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_extents: Option<Vec<[u64; 3]>>,
    /// Contents of a model's arena.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensors: Option<Vec<PlannedBuffer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The arena size of a model's main subgraph: with TensorFlow Lite's planner, without techniques, then with one more
/// technique at a time.
#[derive(Serialize)]
pub(super) struct TechniqueComparison {
    pub problem: String,
    pub techniques: Vec<TechniqueReport>,
}

#[derive(Serialize)]
pub(super) struct TechniqueReport {
    pub technique: &'static str,
    pub total_bytes: u64,
    pub lower_bound_bytes: u64,
}

/// A tensor or scratch buffer.
#[derive(Serialize)]
pub(super) struct PlannedBuffer {
    pub name: String,
    /// The op that writes it.
    pub op: String,
    pub offset: u64,
    pub bytes: u64,
    pub first_step: u32,
    /// Null if it lives until the end.
    pub last_step: Option<u32>,
}

impl Report {
    /// Why the command failed. When all planners are compared, one that fails is a result, not a failure. Banks that
    /// cannot hold a problem are a failure.
    pub(super) fn failure(&self) -> Option<String> {
        let mut errors = self.plans.iter().map(|plan| plan.error.as_ref());
        let first = if errors.clone().all(|error| error.is_some()) { errors.next().flatten() } else { None };
        first.or_else(|| self.banks.iter().find_map(|report| report.error.as_ref())).cloned()
    }
}

impl PlanReport {
    pub(super) fn new(
        problem: &Problem,
        planner: &PlannerConfig,
        solved: &Result<SolvedProblem, String>,
        capacity: Option<u64>,
    ) -> Self {
        let found = solved.as_ref().ok();
        let objects = found.and_then(|solved| solved.objects.clone());
        let records = match &problem.source {
            Source::Table(records) => Some(records),
            Source::Objects(_) | Source::Subgraph { .. } => None,
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
            object_extents: found.and_then(|solved| solved.extents.clone()),
            tensors: found.filter(|_| problem.model().is_some()).map(places),
            error: solved.as_ref().err().cloned(),
        }
    }
}

/// The places sorted by offset.
fn places(solved: &SolvedProblem) -> Vec<PlannedBuffer> {
    let place = |part: &Part| PlannedBuffer {
        name: part.name.clone(),
        op: part.op.clone(),
        offset: solved.offset_of(part),
        bytes: part.size,
        first_step: part.first,
        last_step: (part.last != UsageRecord::FOREVER).then_some(part.last),
    };
    let mut places: Vec<PlannedBuffer> =
        solved.parts.iter().filter(|part| part.size > 0).map(place).collect();
    places.sort_by_key(|place| (place.offset, place.first_step));
    places
}
