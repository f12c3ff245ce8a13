//! `exact`: the smallest plan, or a plan together with a proved lower bound.
//!
//! Records that are not connected in time are planned separately. Each group starts from the best plan of the cheap
//! strategies. If that is larger than the lower bound, the search looks for smaller plans, and proves that none exist
//! below the best height.
//!
//! ```text
//! records ─► groups ─► cheap plans ─► problem: sections, units ─► descent ◄─► search
//! ```
//!
//! With a capacity, any plan that fits is good enough. The search may also prove that no plan fits.
//!
//! The problem is NP-hard (Garey and Johnson's SR2, dynamic storage allocation), so a time limit may expire before the
//! answer is known. If a proof or the step limit ends the search, the answer is the same on every machine.

mod budget;
mod choice;
mod descent;
mod failed;
mod problem;
mod profile;
mod search;
mod state;
mod tactics;

use alloc::vec::Vec;

use arenite_abi::prelude::*;

use crate::groups::Groups;
pub use crate::outcome::{Limits, Outcome};
use crate::{bound, cheap, validate};
use budget::Budget;
use descent::Descent;
use problem::Problem;

/// The planner `exact`. Option `steps`: the largest number of search steps.
pub struct Exact;

impl Planner for Exact {
    const NAME: &'static str = "exact";

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

/// Writes the offset of each record to `offsets`, see [`solve`].
///
/// # Errors
/// As [`solve`]; also if there is not one offset per record.
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    validate::same_length(records, offsets)?;
    offsets.copy_from_slice(&solve(records, &Limits::default())?.offsets);
    Ok(())
}

/// The smallest plan, or the best one that is found within the limits. Records with a fixed offset keep it; a record of
/// size 0 gets offset 0.
///
/// Takes O(n (log n + k log k)) for n records of which k are alive together, plus the search, which is limited. Groups
/// of more than 2¹² records are not searched.
///
/// # Errors
/// A record is malformed, records with fixed offsets overlap, no plan fits the capacity or none was found, or offsets
/// overflow.
pub fn solve(records: &[UsageRecord], limits: &Limits) -> Result<Outcome> {
    validate::records(records)?;
    validate::fixed_apart(records)?;
    improve(records, &cheap::best(records, limits.capacity.unwrap_or(0))?, limits)
}

/// Like [`solve`], but starts from the plan `start`, the offset of each record. Groups that are not searched, or for
/// which no smaller plan is found, keep their offsets.
///
/// # Errors
/// As [`solve`]; also if `start` has not one offset per record.
pub fn improve(records: &[UsageRecord], start: &[u64], limits: &Limits) -> Result<Outcome> {
    validate::records(records)?;
    validate::same_length(records, start)?;
    validate::fixed_apart(records)?;
    let mut plans = Plans::new(records, start, limits.capacity)?;
    let mut budget = Budget::new(limits.steps, limits.nanos);
    plans.improve(limits.capacity, &mut budget);
    let (total, lower_bound) = (plans.total(), plans.lower_bound());
    if let Some(capacity) = limits.capacity {
        ensure!(
            lower_bound <= capacity,
            "no plan fits into {capacity} bytes: at least {lower_bound} are needed"
        );
        ensure!(
            total <= capacity,
            "no plan that fits into {capacity} bytes was found in {} steps: the best has {total}, and at least \
             {lower_bound} are needed",
            budget.spent()
        );
    }
    Ok(Outcome { offsets: plans.offsets(), total, lower_bound, steps: budget.spent() })
}

/// Groups of more records are not searched: one attempt would use up the default budget.
const MOST_SEARCHED: usize = 1 << 12;
/// Larger sums could overflow.
const MOST_BYTES: u64 = 1 << 60;

/// The best plan of each group.
struct Plans {
    offsets: Vec<u64>,
    /// The bytes of the largest group plan that cannot be improved, or need not be.
    settled: u64,
    /// The largest lower bound before any search.
    bound: u64,
    descents: Vec<Descent>,
}

impl Plans {
    /// The initial plan, and a search for each group whose plan might be improved.
    fn new(records: &[UsageRecord], start: &[u64], capacity: Option<u64>) -> Result<Self> {
        let groups = Groups::new(records);
        let bounds: Vec<u64> =
            groups.iter().map(|group| bound::of_group(records, group)).collect::<Result<_>>()?;
        let bound = bounds.iter().copied().max().unwrap_or(0);
        let enough = capacity.unwrap_or(0).max(bound);
        let mut plans = Plans { offsets: start.to_vec(), settled: 0, bound, descents: Vec::new() };
        for (group, bound) in groups.iter().zip(bounds) {
            let end = |&i: &u32| validate::end(start[i as usize], records[i as usize].size);
            let best = group.iter().map(end).try_fold(0, |best: u64, end| Ok(best.max(end?)))?;
            let alignment = group.iter().map(|&i| records[i as usize].alignment).max().unwrap_or(1);
            if best > enough && group.len() <= MOST_SEARCHED && best.max(alignment) <= MOST_BYTES {
                plans.descents.push(Descent::new(Problem::new(records, group), best, bound, capacity));
            } else {
                plans.settled = plans.settled.max(best);
            }
        }
        Ok(plans)
    }

    /// Searches for a smaller plan of the group that needs the most, until the largest group is not one of those
    /// searched, or the budget is used up or too small for another search.
    fn improve(&mut self, capacity: Option<u64>, budget: &mut Budget) {
        while !budget.is_over() {
            let bound = self.lower_bound();
            if capacity.is_some_and(|capacity| capacity < bound) {
                return;
            }
            let enough = capacity.unwrap_or(bound).max(self.settled);
            let largest = self.descents.iter_mut().rev().max_by_key(|descent| descent.best);
            match largest.filter(|descent| descent.best > enough) {
                Some(descent) if !descent.is_hopeless(budget.left()) => descent.search(enough, budget),
                _ => return,
            }
        }
    }

    fn total(&self) -> u64 {
        self.descents.iter().map(|descent| descent.best).max().unwrap_or(0).max(self.settled)
    }

    fn lower_bound(&self) -> u64 {
        self.descents.iter().map(|descent| descent.bound).max().unwrap_or(0).max(self.bound)
    }

    /// The offset of each record.
    fn offsets(self) -> Vec<u64> {
        let mut offsets = self.offsets;
        for descent in &self.descents {
            if let Some(places) = &descent.places {
                descent.problem().offsets(places).for_each(|(i, offset)| offsets[i as usize] = offset);
            }
        }
        offsets
    }
}
