//! A plan and its lower bound, and the search for smaller plans. Without the feature `exact` the result is the cheap
//! strategies' best plan.

use alloc::vec::Vec;

use arenite_abi::prelude::*;

use crate::cheap;

/// The goal and the limits of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// In bytes: any plan that fits is good enough.
    pub capacity: Option<u64>,
    /// In nanoseconds. Without `std`, a time limit is converted to a number of steps.
    pub nanos: Option<u64>,
    /// In search steps. If neither time nor steps are limited, about a second's worth of steps.
    pub steps: Option<u64>,
}

/// A plan and its lower bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The offset of each record.
    pub offsets: Vec<u64>,
    /// The bytes of the plan.
    pub total: u64,
    /// A proved lower bound in bytes.
    pub lower_bound: u64,
    /// The steps that the search has taken.
    pub steps: u64,
}

impl Outcome {
    /// Whether the plan is proved to be the smallest.
    pub fn is_optimal(&self) -> bool {
        self.total == self.lower_bound
    }
}

/// The smallest plan found within the limits, starting from the best of the cheap strategies.
///
/// # Errors
/// As [`improve`].
pub fn solve(records: &[UsageRecord], limits: &Limits) -> Result<Outcome> {
    improve(records, &cheap::best(records, limits.capacity.unwrap_or(0))?, limits)
}

/// The smallest plan found within the limits, starting from the plan `start`, the offset of each record.
///
/// # Errors
/// A record is malformed, records with fixed offsets overlap, no plan fits the capacity or none was found, or offsets
/// overflow.
#[cfg(feature = "exact")]
pub fn improve(records: &[UsageRecord], start: &[u64], limits: &Limits) -> Result<Outcome> {
    crate::exact::improve(records, start, limits)
}

/// The plan `start`, the offset of each record, with a lower bound of all plans.
///
/// # Errors
/// A record is malformed, records with fixed offsets overlap, the plan is larger than the capacity, or offsets
/// overflow.
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
    fn too_small_a_capacity_is_an_error_with_or_without_a_search() {
        let records = [UsageRecord::new(64, 0, 1), UsageRecord::new(64, 1, 2)];
        let plan = solve(&records, &Limits::default()).unwrap();
        assert_eq!((plan.total, plan.lower_bound, plan.is_optimal()), (128, 128, true));
        let error = solve(&records, &Limits { capacity: Some(100), ..Limits::default() }).unwrap_err();
        assert!(error.message().contains("100 bytes") && error.message().contains("128"), "{error}");
    }
}
