//! Solves problems. A model's plan is the one that would run: each planner plans it in its own interpreter.

use std::sync::Arc;
use std::time::Instant;

use arenite::config::PlannerConfig;
use arenite::{Config, Plan, PlanLimits, Registry, UsageRecord};

use super::input::InputShape;
use super::problem::{ObjectTable, Problem, Source};
use super::solved::{Part, PlanningFailure, SolvedProblem};
use super::{devices, model};

/// How problems are solved; the planner is chosen separately.
#[derive(Clone, Copy)]
pub(super) struct Solver<'a> {
    pub config: &'a Config,
    pub registry: &'a Arc<Registry>,
    /// Shapes of inputs that replace the shapes in the model.
    pub inputs: &'a [InputShape],
    pub limits: PlanLimits,
}

impl Solver<'_> {
    pub(super) fn solve(
        &self,
        problem: &Problem,
        planner: &PlannerConfig,
    ) -> Result<SolvedProblem, PlanningFailure> {
        match &problem.source {
            Source::Table(records) => self.table(records, planner),
            Source::Objects(table) => self.objects(table, planner),
            Source::Subgraph { model, index, .. } => {
                model::solve(self, planner, &problem.name, model, *index)
            }
        }
    }

    fn objects(
        &self,
        table: &ObjectTable,
        planner: &PlannerConfig,
    ) -> Result<SolvedProblem, PlanningFailure> {
        let readers = table.readers().map_err(|error| PlanningFailure::Planner(error.to_string()))?;
        let start = Instant::now();
        let assigned = self.registry.assign(planner, table.extents, &table.records, readers);
        let time = start.elapsed();
        let objects = assigned.map_err(|error| PlanningFailure::Planner(error.to_string()))?;
        Ok(SolvedProblem { time, ..devices::stack(&table.records, &objects, "") })
    }

    fn table(
        &self,
        records: &[UsageRecord],
        planner: &PlannerConfig,
    ) -> Result<SolvedProblem, PlanningFailure> {
        let start = Instant::now();
        let planned = self.registry.plan(planner, records, &self.limits);
        let time = start.elapsed();
        let Plan { offsets, total_bytes, lower_bound, optimal, objects } =
            planned.map_err(|error| PlanningFailure::Planner(error.to_string()))?;
        // The sum of the objects' sizes, without the gaps between them due to alignment.
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
        Ok(SolvedProblem {
            parts: records.iter().enumerate().map(part).collect(),
            records: records.to_vec(),
            offsets,
            total: sum.unwrap_or(total_bytes),
            bound: lower_bound,
            optimal,
            objects,
            extents: None,
            time,
            steps: None,
            unknown: Vec::new(),
            notes: Vec::new(),
            devices: Vec::new(),
        })
    }
}
