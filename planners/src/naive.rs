//! `naive`: each record has its own place, in the order of the records. No memory is used twice: to see a value
//! after its last use, and to tell a planner's mistake from a kernel's.

use crate::validate;
use arenite_abi::prelude::*;

/// The planner `naive`.
pub struct Naive;

impl Planner for Naive {
    const NAME: &'static str = "naive";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&[])?;
        place(request.records, validate::offsets(request, assignment)?)
    }
}

/// Writes the offset of each record to `offsets`. Records with a fixed place keep it; the others follow after the last
/// of those. An error if a record is malformed or the sum overflows.
pub fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    validate::records(records)?;
    validate::same_length(records, offsets)?;
    let fixed_end = |r: &UsageRecord| r.fixed().map_or(0, |offset| offset.saturating_add(r.size));
    let mut end = records.iter().map(fixed_end).max().unwrap_or(0);
    for (record, offset) in records.iter().zip(offsets) {
        *offset = match record.fixed() {
            Some(fixed) => fixed,
            None if record.size == 0 => 0,
            None => {
                let start = validate::align(end, record.alignment)?;
                end = validate::end(start, record.size)?;
                start
            }
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_the_other() {
        let fixed = UsageRecord { fixed_offset: 256, ..UsageRecord::new(10, 0, 9) };
        let bytes = UsageRecord { alignment: 1, ..UsageRecord::new(3, 1, 1) };
        let records = [UsageRecord::new(100, 0, 0), fixed, UsageRecord::new(0, 0, 0), bytes, bytes];
        let mut offsets = [7; 5];
        place(&records, &mut offsets).unwrap();
        assert_eq!(offsets, [320, 256, 0, 420, 423]);
    }

    #[test]
    fn overflow_is_an_error() {
        let records = [UsageRecord::new(u64::MAX / 2 + 1, 0, 0); 2];
        let error = place(&records, &mut [0; 2]).unwrap_err();
        assert_eq!(
            error.message(),
            "the plan overflows: 9223372036854775808 bytes at offset 9223372036854775808"
        );
    }
}
