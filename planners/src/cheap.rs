//! The best plan of the cheap strategies: all but `exact`, and `min-cost-flow` where records are few.
//!
//! They are asked in a fixed order until a plan is good enough. Records that are not connected in time (`groups.rs`)
//! are told apart: of each group the best plan counts.
//!
//! Shared objects are not asked for where none could be smaller. Whatever hands them out needs an object for the
//! largest record, a second one for the largest that is ever alive as the second largest, and so on: the sum of the
//! *positional maxima* (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020), which
//! `profiles.rs` shows.

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

/// More records are left to a few strategies: seconds for millions.
pub const MANY: usize = 1 << 16;

type Place = fn(&[UsageRecord], &mut [u64]) -> Result<()>;

/// The fastest first.
const OFFSETS: [Place; 3] = [greedy_by_size_offsets::place, both_ends::place, micro_greedy::place];
const OBJECTS: [Assign; 6] = [
    greedy_in_order::assign,
    equality::assign,
    equality_vector::assign,
    greedy_by_breadth::assign,
    greedy_by_size::assign,
    naive::assign,
];
/// So many records take `min-cost-flow`, whose time grows with their third power, a fraction of a millisecond.
const FEW: usize = 48;
/// For many records.
const QUICK: [Assign; 2] = [greedy_in_order::assign, equality::assign];

/// The offset of each record, in a plan that is no larger than that of any cheap strategy, unless `enough` bytes
/// suffice. Of more than [`MANY`] records: than those of `greedy-by-size-offsets`, `greedy-in-order` and `equality`; of
/// more than [`FEW`], the plan of `min-cost-flow` may be smaller.
///
/// An error if a record is malformed, or if every strategy fails: then that of the first one.
pub fn best(records: &[UsageRecord], enough: u64) -> Result<Vec<u64>> {
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

/// What shared objects need at least. They lie above all records that have a fixed place.
fn least_of_objects(records: &[UsageRecord], by_size: &[u32]) -> u128 {
    let is_free = |i: &u32| records[*i as usize].fixed().is_none();
    let free: Vec<u32> = by_size.iter().copied().filter(is_free).collect();
    let maxima = profiles::positional_maxima(records, &free);
    maxima.into_iter().map(u128::from).sum::<u128>() + u128::from(validate::fixed_end(records))
}

/// Whether no gap becomes smaller by alignment: `arena` is `best-fit` then.
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
    /// Bytes of each group.
    totals: Vec<u64>,
    offsets: Vec<u64>,
    found_any: bool,
    /// A plan, before it is compared.
    plan: Vec<u64>,
    /// Of the strategy that failed first.
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

    /// Takes over those groups of the plan that have fewer bytes. An error if it overflows.
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
            // Those without a size are in no group.
            let rest = records.iter().zip(offsets).zip(plan).filter(|((record, _), _)| record.size == 0);
            rest.for_each(|((_, offset), plan)| *offset = *plan);
        }
        Ok(())
    }

    /// An error if there is no plan.
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
    fn of_each_group_the_best_plan_counts() {
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
    fn enough_ends_it() {
        let records = classic::records(&[(1, 0, 1), (2, 1, 2), (3, 2, 3), (2, 0, 3)]);
        let bytes = |enough| {
            let offsets = best(&records, enough).unwrap();
            offsets.iter().zip(&records).map(|(offset, record)| offset + record.size).max().unwrap()
        };
        assert_eq!(bytes(0), bound::lower_bound(&records).unwrap());
        assert!(bytes(1000) <= 1000);
    }

    #[test]
    fn the_first_failure_is_told() {
        let huge = UsageRecord::new(1 << 63, 0, 1);
        assert!(best(&[huge, huge], 0).is_err());
        assert!(best(&[UsageRecord { alignment: 3, ..huge }], 0).is_err());
        assert_eq!(best(&[], 0).unwrap(), []);
    }
}
