//! The best plan of the cheap strategies: all except `exact`, and except `min-cost-flow` if there are many records.
//!
//! The strategies run in a fixed order until a plan is good enough. Records that are not connected in time form groups
//! (`groups.rs`), and the best plan is kept for each group.
//!
//! Strategies with shared objects are skipped if they cannot beat the best plan. They need an object for the largest
//! record, a second one for the largest record that is ever second largest among those alive, and so on: at least the
//! sum of the
//! *positional maxima* (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020), which
//! `profiles.rs` explains.

use alloc::vec;
use alloc::vec::Vec;
use arenite_abi::prelude::*;

use crate::groups::Groups;
use crate::objects::{self, Assign};
use crate::space::{self, Fit};
use crate::{
    arena, best_fit, both_ends, bound, equality, equality_vector, greedy_by_breadth, greedy_by_size,
    greedy_by_size_offsets, greedy_in_order, linear, micro_greedy, min_cost_flow, naive, profiles, usage,
    validate,
};

/// Beyond this many records only a few strategies run. They take seconds for millions.
pub(crate) const MANY: usize = 1 << 16;

type Placement = fn(&[UsageRecord], &mut [u64]) -> Result<()>;

/// The strategies, the fastest first.
const OFFSETS: [Placement; 3] = [greedy_by_size_offsets::place, both_ends::place, micro_greedy::place];
const OBJECTS: [Assign; 6] = [
    greedy_in_order::assign,
    equality::assign,
    equality_vector::assign,
    greedy_by_breadth::assign,
    greedy_by_size::assign,
    naive::assign,
];
/// For up to this many records `min-cost-flow` takes a fraction of a millisecond. Its time grows with the third power.
const FEW: usize = 48;
/// The strategies for many records.
const QUICK: [Assign; 2] = [greedy_in_order::assign, equality::assign];

/// The offset of each record, in a plan at least as small as any cheap strategy's, or of at most `enough` bytes. Beyond
/// [`MANY`] records, only `greedy-by-size-offsets`, `greedy-in-order` and `equality` are considered; beyond [`FEW`],
/// `min-cost-flow` is not.
///
/// Fails if a record is malformed, or with the first strategy's error if every strategy fails.
pub(crate) fn best(records: &[UsageRecord], enough: u64) -> Result<Vec<u64>> {
    let mut best = Best::new(records, enough)?;
    if records.len() > MANY {
        best.ask(greedy_by_size_offsets::place);
        QUICK.iter().for_each(|&assign| best.ask_objects(assign));
        return best.end();
    }
    OFFSETS.iter().for_each(|&place| best.ask(place));
    if best.is_enough() {
        return best.end();
    }
    let by_size = usage::by_size(records);
    let is_fit_the_same = arena::order(records) == by_size;
    if !is_fit_the_same {
        best.ask(best_fit::place);
    }
    if !is_fit_the_same || !is_regular(records) {
        best.ask(arena::place);
    }
    best.ask(|records, offsets| {
        space::fill(records, profiles::by_breadth(records).into_iter(), Fit::Tightest, offsets)
    });
    if !best.found_any || least_of_objects(records, &by_size) < best.total().into() {
        OBJECTS.iter().for_each(|&assign| best.ask_objects(assign));
        best.ask(linear::place);
        if records.len() <= FEW {
            best.ask_objects(min_cost_flow::assign);
        }
    }
    best.end()
}

/// The least that shared objects need. They are placed above all records with a fixed offset.
fn least_of_objects(records: &[UsageRecord], by_size: &[u32]) -> u128 {
    let is_free = |i: &u32| records[*i as usize].fixed().is_none();
    let free: Vec<u32> = by_size.iter().copied().filter(is_free).collect();
    let maxima = profiles::positional_maxima(records, &free);
    maxima.into_iter().map(u128::from).sum::<u128>() + u128::from(validate::fixed_end(records))
}

/// Whether alignment makes no gap smaller. Then `arena` and `best-fit` give the same plan.
fn is_regular(records: &[UsageRecord]) -> bool {
    let alignment = records.first().map_or(1, |record| record.alignment);
    let is_multiple = |offset: u64| offset.is_multiple_of(alignment);
    records.iter().all(|record| {
        record.alignment == alignment && is_multiple(record.size) && record.fixed().is_none_or(is_multiple)
    })
}

/// The best plan of each group so far.
struct Best<'a> {
    records: &'a [UsageRecord],
    enough: u64,
    groups: Groups,
    /// The bytes of each group.
    totals: Vec<u64>,
    offsets: Vec<u64>,
    found_any: bool,
    /// Space for a plan that is compared with the best.
    plan: Vec<u64>,
    /// The error of the first strategy that failed.
    failure: Option<Error>,
}

impl<'a> Best<'a> {
    fn new(records: &'a [UsageRecord], enough: u64) -> Result<Self> {
        let bound = bound::lower_bound(records)?;
        let groups = Groups::new(records);
        Ok(Best {
            records,
            enough: enough.max(bound),
            totals: vec![u64::MAX; groups.iter().count()],
            groups,
            offsets: vec![0; records.len()],
            found_any: false,
            plan: vec![0; records.len()],
            failure: None,
        })
    }

    fn total(&self) -> u64 {
        self.totals.iter().copied().max().unwrap_or(0)
    }

    fn is_enough(&self) -> bool {
        self.found_any && self.total() <= self.enough
    }

    fn ask(&mut self, place: impl FnOnce(&[UsageRecord], &mut [u64]) -> Result<()>) {
        if self.is_enough() {
            return;
        }
        match place(self.records, &mut self.plan).and_then(|()| self.keep_better()) {
            Ok(()) => self.found_any = true,
            Err(error) => drop(self.failure.get_or_insert(error)),
        }
    }

    fn ask_objects(&mut self, assign: Assign) {
        self.ask(|records, offsets| objects::place(assign, records, offsets));
    }

    /// Keeps the plan of those groups that need fewer bytes in it. Fails if it overflows.
    fn keep_better(&mut self) -> Result<()> {
        let Best { records, groups, totals, offsets, plan, .. } = self;
        let total_of = |group: &[u32]| {
            group.iter().try_fold(0, |total: u64, &i| {
                Ok(total.max(validate::end(plan[i as usize], records[i as usize].size)?))
            })
        };
        let new: Vec<u64> = groups.iter().map(total_of).collect::<Result<_>>()?;
        for ((group, best), new) in groups.iter().zip(totals).zip(new) {
            if new < *best {
                *best = new;
                group.iter().for_each(|&i| offsets[i as usize] = plan[i as usize]);
            }
        }
        if !self.found_any {
            // Records of size 0 are in no group.
            let rest = records.iter().zip(offsets).zip(plan).filter(|((record, _), _)| record.size == 0);
            rest.for_each(|((_, offset), plan)| *offset = *plan);
        }
        Ok(())
    }

    /// Fails unless a plan was found.
    fn end(self) -> Result<Vec<u64>> {
        match self.failure {
            Some(error) if !self.found_any => Err(error),
            _ => Ok(self.offsets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    /// Each half is planned best by another strategy.
    #[test]
    fn the_best_plan_is_kept_for_each_group() {
        let chain: Vec<(u64, u32, u32)> =
            [5, 9, 2, 8, 3, 7].into_iter().zip(0..).map(|(size, i)| (size, i, i + 1)).collect();
        let shifted = classic::COMPLEX.map(|(size, first, last)| (size / 8, first + 20, last + 20));
        let records = classic::records(&[&chain[..], &shifted[..]].concat());
        let offsets = best(&records, 0).unwrap();
        let total =
            |range: core::ops::Range<usize>| range.map(|i| offsets[i] + records[i].size).max().unwrap();
        assert_eq!((total(0..6), total(6..15)), (14, 12));
    }

    #[test]
    fn the_search_stops_at_a_plan_that_is_good_enough() {
        let records = classic::records(&[(1, 0, 1), (2, 1, 2), (3, 2, 3), (2, 0, 3)]);
        let bytes = |enough| {
            let offsets = best(&records, enough).unwrap();
            offsets.iter().zip(&records).map(|(offset, record)| offset + record.size).max().unwrap()
        };
        assert_eq!(bytes(0), bound::lower_bound(&records).unwrap());
        assert!(bytes(1000) <= 1000);
    }

    #[test]
    fn the_first_error_is_reported() {
        let huge = UsageRecord::new(1 << 63, 0, 1);
        assert!(best(&[huge, huge], 0).is_err());
        assert!(best(&[UsageRecord { alignment: 3, ..huge }], 0).is_err());
        assert_eq!(best(&[], 0).unwrap(), []);
    }
}
