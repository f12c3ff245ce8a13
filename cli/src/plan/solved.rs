//! A problem with a planner's solution.

use std::time::Duration;

use arenite::{DeviceObjects, Objects, UsageRecord};
use serde::Serialize;

use crate::answer::Failure;

/// A problem with a planner's solution.
pub(super) struct SolvedProblem {
    /// The records given to the planner.
    pub records: Vec<UsageRecord>,
    /// The blocks of a drawing: tensors and scratch buffers, each inside one of the records, or else the records
    /// themselves.
    pub parts: Vec<Part>,
    /// The offset of each record.
    pub offsets: Vec<u64>,
    pub total: u64,
    pub bound: u64,
    pub optimal: bool,
    /// The shared objects of a table's plan.
    pub objects: Option<Objects>,
    /// The extents of each object; unused ones are 1. Only for objects without addresses.
    pub extents: Option<Vec<[u64; 3]>>,
    /// The planner's running time.
    pub time: Duration,
    /// Number of steps of a model, including those inside partitions.
    pub steps: Option<u32>,
    pub unknown: Vec<UnknownShape>,
    /// Notes about what could not be planned.
    pub notes: Vec<String>,
    /// Objects in device memory that planners assigned to partitions.
    pub devices: Vec<DeviceObjects>,
}

/// A tensor inside a record.
pub(super) struct Part {
    pub record: usize,
    /// Counted from the record's first byte.
    pub offset: u64,
    pub size: u64,
    pub first: u32,
    /// `UsageRecord::FOREVER` if it lives until the end.
    pub last: u32,
    pub name: String,
    /// The op that writes it, or the kind of buffer.
    pub op: String,
    /// How often steps read or write it.
    pub accesses: u64,
}

/// A result whose shape is known only after it is computed. Nodes after it are not planned.
#[derive(Serialize)]
pub(super) struct UnknownShape {
    pub problem: String,
    pub step: usize,
    pub op: String,
    pub tensor: String,
    /// Null if it is unbounded.
    pub most_bytes: Option<u64>,
    /// Why it is unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Why planning failed.
pub(super) enum PlanningFailure {
    /// The planner failed.
    Planner(String),
    /// No planner can plan the problem.
    Problem(Failure),
}

impl PlanningFailure {
    pub(super) fn into_failure(self) -> Failure {
        match self {
            PlanningFailure::Planner(error) => Failure::new(error),
            PlanningFailure::Problem(failure) => failure,
        }
    }
}

impl SolvedProblem {
    /// The offset of a tensor in the arena.
    pub(super) fn offset_of(&self, part: &Part) -> u64 {
        let buffer = self.offsets.get(part.record).copied().unwrap_or(0);
        buffer.saturating_add(part.offset)
    }
}
