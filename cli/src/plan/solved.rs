//! Plans of problems. A model's is the one that runs: each planner plans it in an interpreter of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arenite::config::PlannerConfig;
use arenite::{Config, DeviceObjects, Objects, Plan, PlanLimits, Registry, UsageRecord};
use serde::Serialize;

use super::input::InputShape;
use super::model;
use super::problem::{Problem, Source};
use crate::answer::Failure;

/// A problem with a planner's answer.
pub struct Solved {
    /// What the planners got.
    pub records: Vec<UsageRecord>,
    /// What is drawn: tensors and scratch, each in one of the records; the records themselves if there is nothing else.
    pub parts: Vec<Part>,
    /// Of each record.
    pub offsets: Vec<u64>,
    pub total: u64,
    pub bound: u64,
    pub optimal: bool,
    /// Shared objects, of a table.
    pub objects: Option<Objects>,
    /// In the planner.
    pub time: Duration,
    /// Steps of a model, those inside of partitions too.
    pub steps: Option<u32>,
    pub unknown: Vec<Unknown>,
    /// What is left out.
    pub notes: Vec<String>,
    /// Objects of devices' memory that planners handed out to partitions.
    pub devices: Vec<DeviceObjects>,
}

/// A tensor in a record.
pub struct Part {
    pub record: usize,
    /// From the record's beginning.
    pub offset: u64,
    pub size: u64,
    pub first: u32,
    /// `UsageRecord::FOREVER` until the end.
    pub last: u32,
    pub name: String,
    /// The op that writes it; what kind of thing it is.
    pub op: String,
    /// How often steps read or write it.
    pub accesses: u64,
}

/// A result whose shape only a run tells. What lies behind it is not planned.
#[derive(Serialize)]
pub struct Unknown {
    pub problem: String,
    pub step: usize,
    pub op: String,
    pub tensor: String,
    /// Null if there is no bound.
    pub most_bytes: Option<u64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Why there is no plan.
pub enum Unsolved {
    /// The planner found none.
    Planner(String),
    /// The problem cannot be planned by any.
    Problem(Failure),
}

impl Unsolved {
    pub fn into_failure(self) -> Failure {
        match self {
            Unsolved::Planner(error) => Failure::new(error),
            Unsolved::Problem(failure) => failure,
        }
    }
}

impl Solved {
    /// Where a tensor begins.
    pub fn offset_of(&self, part: &Part) -> u64 {
        let buffer = self.offsets.get(part.record).copied().unwrap_or(0);
        buffer.saturating_add(part.offset)
    }
}

/// What problems are planned with, besides the planner.
#[derive(Clone, Copy)]
pub struct Solver<'a> {
    pub config: &'a Config,
    pub registry: &'a Arc<Registry>,
    /// Shapes of inputs other than the model's.
    pub inputs: &'a [InputShape],
    pub limits: PlanLimits,
}

impl Solver<'_> {
    pub fn solve(&self, problem: &Problem, planner: &PlannerConfig) -> Result<Solved, Unsolved> {
        match &problem.source {
            Source::Table(records) => self.table(records, planner),
            Source::Subgraph { model, index, .. } => {
                model::solve(self, planner, &problem.name, model, *index)
            }
        }
    }

    fn table(&self, records: &[UsageRecord], planner: &PlannerConfig) -> Result<Solved, Unsolved> {
        let start = Instant::now();
        let planned = self.registry.plan(planner, records, &self.limits);
        let time = start.elapsed();
        let Plan { offsets, total_bytes, lower_bound, optimal, objects } =
            planned.map_err(|error| Unsolved::Planner(error.to_string()))?;
        // The sum of the objects, without the gaps that alignment leaves between them.
        let sum = objects
            .as_ref()
            .map(|objects| objects.sizes.iter().fold(0, |sum: u64, s| sum.saturating_add(*s)));
        let part = |(i, record): (usize, &UsageRecord)| Part {
            record: i,
            offset: 0,
            size: record.size,
            first: record.first_node,
            last: record.last_node,
            name: format!("record {i}"),
            op: String::new(),
            accesses: 2,
        };
        Ok(Solved {
            parts: records.iter().enumerate().map(part).collect(),
            records: records.to_vec(),
            offsets,
            total: sum.unwrap_or(total_bytes),
            bound: lower_bound,
            optimal,
            objects,
            time,
            steps: None,
            unknown: Vec::new(),
            notes: Vec::new(),
            devices: Vec::new(),
        })
    }
}
