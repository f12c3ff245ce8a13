//! `portfolio`: the best plan of the cheap strategies, and of a short exact search if none reaches the lower bound.
//!
//! Ours. Strategies are asked in a fixed order until one reaches the bound, and each is asked in full: so the answer is never
//! larger than that of any of them, and the same on every machine. The search is limited by steps, not by time.
//!
//! ```text
//! by size, by breadth, as in TFLite's arena, … ─► shared objects ─► exact, some thousand steps
//!            └───────── the first that needs no more than the bound ends it ─────────┘
//! ```

use alloc::vec;
use arenite_abi::prelude::*;

use crate::objects::{self, Assign};
use crate::{
    arena, best_fit, bound, equality, exact, greedy_best, greedy_by_size_offsets, greedy_in_order, micro_greedy,
    validate,
};

/// The planner `portfolio`. Option: `steps`, how many the exact search may take at most.
pub struct Portfolio;

impl Planner for Portfolio {
    const NAME: &'static str = "portfolio";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&["steps"])?;
        let steps = request.options.parse("steps", DEFAULT_STEPS)?;
        let offsets = validate::offsets(request, assignment)?;
        if solve(request.records, steps, offsets)? {
            assignment.set_optimal();
        }
        Ok(())
    }
}

/// Steps of the exact search: a few milliseconds.
pub const DEFAULT_STEPS: u64 = 1 << 18;

/// More records are left to the strategies that take near-linear time.
const MANY: usize = 1 << 14;

type Place = fn(&[UsageRecord], &mut [u64]) -> Result<()>;

/// The fastest first.
const OFFSETS: [Place; 4] = [greedy_by_size_offsets::place, arena::place, best_fit::place, micro_greedy::place];
const OBJECTS: [Assign; 3] = [greedy_best::assign, greedy_in_order::assign, equality::assign];

/// Writes the offset of each record to `offsets`, see [`solve`].
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    solve(records, DEFAULT_STEPS, offsets).map(drop)
}

/// The best plan that is found, with so many steps of the exact search. Says whether no plan is smaller. An error if a record is
/// malformed, or if every strategy fails: then that of the first one.
pub fn solve(records: &[UsageRecord], steps: u64, offsets: &mut [u64]) -> Result<bool> {
    validate::records(records)?;
    validate::same_length(records, offsets)?;
    let bound = bound::lower_bound(records)?;
    let mut best: Option<u64> = None;
    let mut failure = None;
    let mut found = vec![0; records.len()];
    let mut ask = |place: &dyn Fn(&mut [u64]) -> Result<()>, offsets: &mut [u64]| {
        match place(&mut found).and_then(|()| total(records, &found)) {
            Ok(total) if best.is_none_or(|best| total < best) => {
                best = Some(total);
                offsets.copy_from_slice(&found);
            }
            Ok(_) => {}
            Err(error) => drop(failure.get_or_insert(error)),
        }
        best.is_some_and(|best| best <= bound)
    };
    for place in OFFSETS {
        if ask(&|found| place(records, found), offsets) {
            return Ok(true);
        }
    }
    for assign in OBJECTS.into_iter().filter(|_| records.len() <= MANY) {
        if ask(&|found| objects::place(assign, records, found), offsets) {
            return Ok(true);
        }
    }
    let limits = exact::Limits { steps: Some(steps), ..exact::Limits::default() };
    let mut proved = false;
    if steps > 0 && records.len() <= MANY {
        let mut search = |found: &mut [u64]| {
            let outcome = exact::solve(records, &limits)?;
            proved = outcome.is_optimal();
            found.copy_from_slice(&outcome.offsets);
            Ok(())
        };
        let searched = search(&mut found).and_then(|()| total(records, &found));
        if let Ok(total) = searched
            && best.is_none_or(|best| total < best)
        {
            best = Some(total);
            offsets.copy_from_slice(&found);
        }
    }
    match (best, failure) {
        (Some(_), _) => Ok(proved),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(true),
    }
}

/// The end of the record that ends last.
fn total(records: &[UsageRecord], offsets: &[u64]) -> Result<u64> {
    records.iter().zip(offsets).filter(|(record, _)| record.size > 0).try_fold(0, |total: u64, (record, &offset)| {
        Ok(total.max(validate::end(offset, record.size)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn record(size: u64, first: u32, last: u32) -> UsageRecord {
        UsageRecord { alignment: 1, ..UsageRecord::new(size, first, last) }
    }

    fn answer(records: &[UsageRecord], steps: u64) -> (u64, bool) {
        let mut offsets: Vec<u64> = vec![u64::MAX; records.len()];
        let optimal = solve(records, steps, &mut offsets).unwrap();
        (total(records, &offsets).unwrap(), optimal)
    }

    #[test]
    fn a_strategy_that_reaches_the_bound_is_enough() {
        let chain: Vec<UsageRecord> =
            [16, 8, 64, 32, 8].into_iter().zip(0..).map(|(size, i)| record(size, i, i + 1)).collect();
        assert_eq!(answer(&chain, 0), (96, true));
        assert_eq!(answer(&[], 0), (0, true));
    }

    /// Five records of a ring that no order of sizes places well.
    #[test]
    fn the_search_finds_what_the_strategies_miss() {
        let records = [
            record(4, 0, 2),
            record(4, 0, 4),
            record(4, 2, 4),
            record(4, 4, 9),
            record(8, 3, 6),
            record(4, 6, 9),
            record(4, 5, 8),
        ];
        let (without, with) = (answer(&records, 0), answer(&records, DEFAULT_STEPS));
        assert!(with.0 <= without.0 && with.1, "{without:?} {with:?}");
    }

    #[test]
    fn overflow_is_an_error() {
        let huge = UsageRecord::new(u64::MAX - 100, 0, 1);
        assert!(solve(&[huge, huge], DEFAULT_STEPS, &mut [0; 2]).is_err());
    }
}
