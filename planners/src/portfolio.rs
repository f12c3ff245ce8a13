//! `portfolio`: the best plan of the cheap strategies, and of a short exact search if none reaches the lower bound.
//!
//! Ours. The search is that of the feature `exact`; without it the best of the cheap strategies is the answer. Strategies are asked in a fixed order until one reaches the bound (`cheap.rs`), and each is asked in full: so
//! the answer is never larger than that of any of them, and the same on every machine. The search is limited by steps,
//! not by time.
//!
//! ```text
//! by size, from both ends, as in TFLite's arena, … ─► shared objects ─► exact, some hundred thousand steps
//!            └───────── the first that needs no more than the bound ends it ─────────┘
//! ```

use arenite_abi::prelude::*;

use crate::outcome::{Limits, Outcome, improve};
use crate::{cheap, validate};

/// The planner `portfolio`. Option: `steps`, how many the exact search may take at most.
pub struct Portfolio;

impl Planner for Portfolio {
    const NAME: &'static str = "portfolio";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&["steps"])?;
        let steps = request.options.get("steps").map(|_| request.options.parse("steps", 0)).transpose()?;
        let limits = Limits { capacity: request.capacity, nanos: request.time_limit, steps };
        let outcome = solve(request.records, &limits)?;
        validate::offsets(request, assignment)?.copy_from_slice(&outcome.offsets);
        if outcome.is_optimal() {
            assignment.set_optimal();
        }
        Ok(())
    }
}

/// Steps of the exact search if neither steps nor time are limited: about a millisecond.
pub const DEFAULT_STEPS: u64 = 1 << 18;

/// Where some records lie already, since a run goes on with shapes that have just become known: a small part of that.
pub const STEPS_BETWEEN: u64 = 1 << 14;

/// What a step takes, about.
const NANOS_PER_STEP: u64 = 4;

/// Writes the offset of each record to `offsets`, see [`solve`].
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    validate::same_length(records, offsets)?;
    offsets.copy_from_slice(&solve(records, &Limits::default())?.offsets);
    Ok(())
}

/// The best plan that is found: no larger than that of any strategy but `exact`, and of more than 48 records
/// `min-cost-flow`. Of more than 2¹⁶ records, only `greedy-by-size-offsets`, `greedy-in-order` and `equality` are
/// asked.
///
/// A time limit stands for a number of steps, four nanoseconds each, and does not count what the strategies take. With
/// a capacity the search ends at the first plan that fits; if none does, the answer is the best plan nevertheless.
///
/// An error if a record is malformed, or if every strategy fails: then that of the first one.
pub fn solve(records: &[UsageRecord], limits: &Limits) -> Result<Outcome> {
    let default = match records.iter().any(|record| record.fixed().is_some()) {
        true => STEPS_BETWEEN,
        false => DEFAULT_STEPS,
    };
    let steps = limits.steps.or(limits.nanos.map(|nanos| nanos / NANOS_PER_STEP)).unwrap_or(default);
    let start = cheap::best(records, 0)?;
    let search =
        |steps, capacity| improve(records, &start, &Limits { steps: Some(steps), nanos: None, capacity });
    match limits.capacity {
        Some(_) => search(steps, limits.capacity).or_else(|_| search(0, None)),
        None => search(steps, None),
    }
}
