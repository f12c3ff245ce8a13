//! `linear`: one record after another, in their order. TensorFlow Lite Micro does this when all tensors must be
//! preserved.
//!
//! Defined by: tensorflow/lite/micro/memory_planner/linear_memory_planner.cc, which does not support alignment. Takes
//! O(n).

use arenite_abi::prelude::*;

use crate::few::{Lists, Records};
use crate::validate;

/// The planner `linear`.
pub struct Linear;

impl Planner for Linear {
    const NAME: &'static str = "linear";

    const SHARES_MEMORY: bool = false;

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&[])?;
        place(request.records, validate::offsets(request, assignment)?)
    }
}

/// Writes the offset of each record to `offsets`. Records with a fixed offset keep it, and the others follow after the
/// end of the last of these; a record of size 0 gets offset 0.
///
/// # Errors
/// A record is malformed or the sum overflows.
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    place_each(&mut Lists::new(records, offsets)?)
}

/// The same for records in any storage.
///
/// # Errors
/// As [`place`].
pub fn place_each(records: &mut dyn Records) -> Result<()> {
    validate::few(records)?;
    let ends = (0..records.count()).map(|i| validate::fixed_end_of(&records.record(i)));
    let mut end = ends.max().unwrap_or(0);
    for i in 0..records.count() {
        let record = records.record(i);
        let offset = match record.fixed() {
            Some(fixed) => fixed,
            None if record.size == 0 => 0,
            None => {
                let start = validate::align(end, record.alignment)?;
                end = validate::end(start, record.size)?;
                start
            }
        };
        records.set_offset(i, offset);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn records_are_placed_in_order() {
        let fixed = UsageRecord { fixed_offset: 256, ..UsageRecord::new(10, 0, 9) };
        let bytes = UsageRecord { alignment: 1, ..UsageRecord::new(3, 1, 1) };
        let records = [UsageRecord::new(100, 0, 0), fixed, UsageRecord::new(0, 0, 0), bytes, bytes];
        assert_eq!(classic::offsets(place, &records), (vec![320, 256, 0, 420, 423], 426));
    }

    /// `TestBasics` of linear_memory_planner_test.cc.
    #[test]
    fn classic_cases() {
        assert_eq!(classic::offsets(place, &classic::records(&[(10, 0, 1), (20, 1, 2)])), (vec![0, 10], 30));
        assert_eq!(classic::offsets(place, &classic::records(&classic::CHAIN)).1, 128);
        assert_eq!(classic::offsets(place, &classic::records(&classic::COMPLEX)).1, 192);
        classic::check_small_offsets(place);
    }
}
