//! A plan and what is known about all others, and the search for smaller ones. Without the feature `exact` there is no search:
//! what the cheap strategies found stays.

use alloc::vec::Vec;

use arenite_abi::prelude::*;

use crate::cheap;

/// What is asked for, and how long the search may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes: any plan that has no more is good enough.
    pub capacity: Option<u64>,
    /// Time, in nanoseconds. Without `std` it stands for a number of steps.
    pub nanos: Option<u64>,
    /// Steps. If neither time nor steps are limited, steps for about a second.
    pub steps: Option<u64>,
}

/// A plan, and what is known about all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Of each record.
    pub offsets: Vec<u64>,
    /// Bytes of the plan.
    pub total: u64,
    /// No plan has fewer bytes.
    pub lower_bound: u64,
    /// Steps that the search has taken.
    pub steps: u64,
}

impl Outcome {
    /// Whether it is proved that no plan is smaller.
    pub fn is_optimal(&self) -> bool {
        self.total == self.lower_bound
    }
}

/// The smallest plan that is found within the limits, from the best of the cheap strategies on; errors as for [`improve`].
pub fn solve(records: &[UsageRecord], limits: &Limits) -> Result<Outcome> {
    improve(records, &cheap::best(records, limits.capacity.unwrap_or(0))?, limits)
}

/// The smallest plan that is found within the limits, from the plan `start` on: the offset of each record.
///
/// An error if a record is malformed, if records with fixed places overlap, if there is no plan within the capacity or
/// none was found, or if offsets overflow.
#[cfg(feature = "exact")]
pub fn improve(records: &[UsageRecord], start: &[u64], limits: &Limits) -> Result<Outcome> {
    crate::exact::improve(records, start, limits)
}

/// The plan `start`, the offset of each record, and a lower bound of all plans.
///
/// An error if a record is malformed, if records with fixed places overlap, if the plan is larger than the capacity, or if
/// offsets overflow.
#[cfg(not(feature = "exact"))]
pub fn improve(records: &[UsageRecord], start: &[u64], limits: &Limits) -> Result<Outcome> {
    use crate::{bound, validate};
    validate::records(records)?;
    validate::same_length(records, start)?;
    validate::fixed_apart(records)?;
    let end = |(record, &offset): (&UsageRecord, &u64)| validate::end(offset, record.size);
    let total = records.iter().zip(start).map(end).try_fold(0, |most: u64, end| Ok(most.max(end?)))?;
    let lower_bound = bound::lower_bound(records)?;
    let capacity = limits.capacity.unwrap_or(u64::MAX);
    ensure!(
        total <= capacity,
        "no plan that fits into {capacity} bytes was found: the best has {total}, and at least {lower_bound} are \
         needed; compile the planners with the feature 'exact' for a search"
    );
    Ok(Outcome { offsets: start.to_vec(), total, lower_bound, steps: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capacity_that_is_too_small_is_an_error_with_or_without_a_search() {
        let records = [UsageRecord::new(64, 0, 1), UsageRecord::new(64, 1, 2)];
        let plan = solve(&records, &Limits::default()).unwrap();
        assert_eq!((plan.total, plan.lower_bound, plan.is_optimal()), (128, 128, true));
        let error = solve(&records, &Limits { capacity: Some(100), ..Limits::default() }).unwrap_err();
        assert!(error.message().contains("100 bytes") && error.message().contains("128"), "{error}");
    }
}
