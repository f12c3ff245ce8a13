//! `first-fit`: places the records in order, each at the lowest offset that is free during its whole lifetime.

use arenite_abi::prelude::*;

/// The planner `first-fit`.
pub struct FirstFit;

impl Planner for FirstFit {
    const NAME: &'static str = "first-fit";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        request.options.expect_only(&[])?;
        place(request.records, assignment.offsets())
    }
}

/// Writes the offset of each record to `offsets`. Takes O(n² log n).
fn place(records: &[UsageRecord], offsets: &mut [u64]) -> Result<()> {
    ensure!(
        offsets.len() == records.len(),
        "the array holds {} offsets, but there are {} records",
        offsets.len(),
        records.len()
    );
    let mut placed: Vec<(u64, &UsageRecord)> = records.iter().filter_map(|r| Some((r.fixed()?, r))).collect();
    for (record, offset) in records.iter().zip(offsets) {
        *offset = match record.fixed() {
            Some(fixed) => fixed,
            None => lowest_free(record, &placed)?,
        };
        if record.fixed().is_none() {
            placed.push((*offset, record));
        }
    }
    Ok(())
}

fn lowest_free(record: &UsageRecord, placed: &[(u64, &UsageRecord)]) -> Result<u64> {
    let mut obstacles: Vec<(u64, u64)> = placed
        .iter()
        .filter(|(_, other)| other.overlaps(record))
        .map(|&(offset, other)| (offset, offset.saturating_add(other.size)))
        .collect();
    obstacles.sort_unstable();
    let mut start: u64 = 0;
    for (begin, end) in obstacles {
        if start.checked_add(record.size).is_some_and(|end| end <= begin) {
            break;
        }
        start = start
            .max(end)
            .checked_next_multiple_of(record.alignment)
            .ok_or_else(|| invalid!("offset {end} cannot be aligned to {} bytes", record.alignment))?;
    }
    ensure!(
        start.checked_add(record.size).is_some(),
        "the plan overflows: {} bytes at offset {start}",
        record.size
    );
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(records: &[UsageRecord]) -> Result<Vec<u64>> {
        let mut offsets = vec![u64::MAX; records.len()];
        place(records, &mut offsets)?;
        Ok(offsets)
    }

    /// The third goes to the first one's offset; the fourth does not fit next to it.
    #[test]
    fn lowest_free_offset() {
        let records = [
            UsageRecord::new(100, 0, 1),
            UsageRecord::new(30, 1, 3),
            UsageRecord::new(64, 2, 3),
            UsageRecord::new(65, 2, 3),
        ];
        assert_eq!(offsets(&records).unwrap(), [0, 128, 0, 192]);
    }

    #[test]
    fn fixed_records_are_obstacles_in_any_order() {
        let fixed = UsageRecord { fixed_offset: 64, ..UsageRecord::new(64, 0, 9) };
        assert_eq!(offsets(&[UsageRecord::new(65, 0, 1), fixed]).unwrap(), [128, 64]);
        assert_eq!(offsets(&[UsageRecord::new(64, 0, 1), fixed]).unwrap(), [0, 64]);
    }

    #[test]
    fn overflow_and_bad_alignment_are_errors() {
        let huge = UsageRecord::new(u64::MAX - 63, 0, 1);
        assert!(offsets(&[huge, huge]).unwrap_err().message().contains("overflows"));
        let unaligned = UsageRecord { alignment: 0, ..UsageRecord::new(8, 0, 1) };
        let error = offsets(&[UsageRecord::new(8, 0, 1), unaligned]).unwrap_err();
        assert_eq!(error.message(), "offset 8 cannot be aligned to 0 bytes");
    }
}
