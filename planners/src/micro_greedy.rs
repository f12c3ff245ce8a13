//! `micro-greedy`: the largest record first, each in the lowest gap between the records that are alive together with
//! it.
//!
//! Defined by: tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc. Of equal sizes, the higher number comes
//! first. An offline-planned buffer is a record with a fixed offset here: it is placed before all others, and may
//! overlap another one. Micro pads sizes instead of aligning offsets; here each record has its alignment.

#[cfg(feature = "alloc")]
use core::cmp::Reverse;

use arenite_abi::prelude::*;

use crate::few::{Lists, Records};
use crate::validate;
#[cfg(feature = "alloc")]
use crate::{
    order,
    space::{self, Fit},
};

/// The planner `micro-greedy`.
pub struct MicroGreedy;

impl Planner for MicroGreedy {
    const NAME: &'static str = "micro-greedy";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&[])?;
        let offsets = validate::offsets(request, assignment)?;
        #[cfg(feature = "alloc")]
        return place(request.records, offsets);
        #[cfg(not(feature = "alloc"))]
        return place_few(request.records, offsets);
    }
}

/// Writes the offset of each record to `offsets`. Records with a fixed offset keep it and block their range; a record
/// of size 0 gets offset 0. The complexity is given at [`space::fill`].
///
/// # Errors
/// A record is malformed or an offset overflows.
#[cfg(feature = "alloc")]
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    let order = order::by_key(records.len(), |i| Reverse((records[i as usize].size, i)));
    space::fill(records, order.into_iter(), Fit::First, offsets)
}

/// The offset of a record that is not placed yet. No record with a size can start there.
const NOWHERE: u64 = u64::MAX;

/// The same offsets as `place`, without allocating memory. For few records: takes O(n² k) for n of which k are alive
/// together.
///
/// # Errors
/// As [`place`].
pub fn place_few(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    place_each(&mut Lists::new(records, offsets)?)
}

/// The same for records in any storage.
///
/// # Errors
/// As [`place`].
pub fn place_each(records: &mut dyn Records) -> Result<()> {
    validate::few(records)?;
    for i in 0..records.count() {
        let record = records.record(i);
        let empty = if record.size == 0 { 0 } else { NOWHERE };
        records.set_offset(i, record.fixed().unwrap_or(empty));
    }
    while let Some(next) = next(records) {
        let offset = lowest(records, &records.record(next))?;
        records.set_offset(next, offset);
    }
    Ok(())
}

/// The largest record that is not placed yet; of equal sizes the highest number.
fn next(records: &dyn Records) -> Option<usize> {
    (0..records.count()).filter(|&i| records.offset(i) == NOWHERE).max_by_key(|&i| records.record(i).size)
}

/// The lowest offset at which `record` overlaps no placed record that is alive together with it.
///
/// An obstacle at one offset is an obstacle at all offsets up to its end, so the search continues there.
fn lowest(records: &dyn Records, record: &UsageRecord) -> Result<u64> {
    let mut candidate = 0;
    loop {
        let end = validate::end(candidate, record.size)?;
        let placed = (0..records.count()).map(|i| (records.record(i), records.offset(i)));
        let meets = |(other, offset): &(UsageRecord, u64)| {
            let there = *offset != NOWHERE && other.size > 0 && other.overlaps(record);
            there && *offset < end && candidate < *offset + other.size
        };
        let Some((other, offset)) = { placed }.find(meets) else { return Ok(candidate) };
        candidate = validate::align(offset + other.size, record.alignment)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[track_caller]
    fn check(list: &[(u64, u32, u32)], offsets: &[u64], total: u64) {
        for place in [place, place_few] {
            assert_eq!(classic::offsets(place, &classic::records(list)), (offsets.to_vec(), total));
        }
    }

    /// `TestGreedyBasics`, `TestGreedyMedium` and `TestOverlapCase` of greedy_memory_planner_test.cc, which has three
    /// buffers of which the last overlaps both others.
    #[test]
    fn classic_cases_of_micro() {
        check(&[(10, 0, 1), (20, 2, 3)], &[0, 0], 20);
        check(&[(10, 0, 1), (20, 1, 2), (30, 2, 3), (40, 3, 4), (50, 0, 1)], &[50, 70, 40, 0, 0], 90);
        check(&[(100, 0, 1), (50, 2, 3), (20, 1, 2)], &[0, 0, 100], 120);
        check(&[(100, 0, 1), (80, 2, 3), (50, 1, 2)], &[0, 0, 100], 150);
    }

    #[test]
    fn classic_cases() {
        check(&classic::CHAIN, &[0, 64, 0, 64, 0], 96);
        check(&classic::COMPLEX, &[32, 0, 88, 64, 80, 0, 72, 64, 0], 96);
        classic::check_small_offsets(place);
        classic::check_small_offsets(place_few);
    }

    #[test]
    fn the_higher_number_of_equal_sizes_comes_first() {
        check(&[(8, 0, 9), (8, 0, 9), (8, 0, 9)], &[16, 8, 0], 24);
    }

    /// The tightest gap, 8 bytes at offset 40, is not the lowest.
    #[test]
    fn lowest_gap() {
        let at = |offset| UsageRecord { fixed_offset: offset, alignment: 1, ..UsageRecord::new(8, 0, 9) };
        let records = [at(0), at(32), at(48), classic::records(&[(8, 0, 9)])[0]];
        assert_eq!(classic::offsets(place, &records).0[3], 8);
        assert_eq!(classic::offsets(place_few, &records).0[3], 8);
    }

    /// Offline offsets are kept, though they overlap each other and a larger buffer comes after them.
    #[test]
    fn offline_offsets() {
        let at =
            |offset, size| UsageRecord { fixed_offset: offset, alignment: 1, ..UsageRecord::new(size, 0, 1) };
        let online = classic::records(&[(100, 1, 2), (50, 0, 0)]);
        let records = [at(64, 32), online[0], at(80, 16), online[1]];
        assert_eq!(classic::offsets(place, &records).0, [64, 96, 80, 0]);
        assert_eq!(classic::offsets(place_few, &records).0, [64, 96, 80, 0]);
    }
}
