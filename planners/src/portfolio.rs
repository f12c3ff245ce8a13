//! `portfolio`: the best plan of the cheap strategies, plus a short exact search if none reaches the lower bound.
//!
//! Not from TFLite. The search needs the feature `exact`; without it the result is the best plan of the cheap
//! strategies. The strategies run in a fixed order until one reaches the bound (`cheap.rs`), and each runs to
//! completion, so the plan is never larger than any of theirs, and the same on every machine. The search is
//! limited by steps, not by time.
//!
//! ```text
//! by size, from both ends, as in TFLite's arena, … ─► shared objects ─► exact, some hundred thousand steps
//!            └───────── stops at the first plan that reaches the bound ─────────┘
//! ```

use arenite_abi::prelude::*;

use crate::outcome::{Limits, Outcome, improve};
use crate::{cheap, validate};

/// The planner `portfolio`. Option `steps`: the largest number of exact search steps.
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

/// Steps if some records already have offsets, because a run continues with shapes that just became known. Much fewer.
pub const STEPS_BETWEEN: u64 = 1 << 14;

/// The approximate time of a step.
const NANOS_PER_STEP: u64 = 4;

/// Writes the offset of each record to `offsets`, see [`solve`].
///
/// # Errors
/// As [`solve`]; also if there is not one offset per record.
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    validate::same_length(records, offsets)?;
    offsets.copy_from_slice(&solve(records, &Limits::default())?.offsets);
    Ok(())
}

/// The best plan found: at least as small as any strategy's except `exact`, and except `min-cost-flow` for more than 48
/// records. For more than 2¹⁶ records, only `greedy-by-size-offsets`, `greedy-in-order` and `equality` are considered.
///
/// A time limit is converted to steps of four nanoseconds each, and does not include the time of the strategies. With a
/// capacity the search stops at the first plan that fits; if none does, the result is still the best plan.
///
/// # Errors
/// A record is malformed, or with the first strategy's error if every strategy fails.
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
