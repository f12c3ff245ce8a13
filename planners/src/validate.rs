//! What every planner checks before it starts, and the arithmetic of offsets that cannot overflow.

#[cfg(feature = "alloc")]
mod apart;

use arenite_abi::prelude::*;

use crate::few::Records;

#[cfg(feature = "alloc")]
pub use apart::{fixed_apart, usages};

/// So many records can be told apart with 32 bits wherever planners count them.
const MOST_RECORDS: usize = 1 << 26;

/// Checks each record: its alignment is a power of two, its life does not end before it begins, a fixed place is aligned
/// and ends below 2⁶⁴, and the record that it may share memory with exists. The error names record and both values.
pub fn records(records: &[UsageRecord]) -> Result<()> {
    count(records.len())?;
    records.iter().enumerate().try_for_each(|(i, record)| one(i, record, records.len()))
}

/// The same for records that are kept elsewhere.
pub fn few(records: &dyn Records) -> Result<()> {
    count(records.count())?;
    (0..records.count()).try_for_each(|i| one(i, &records.record(i), records.count()))
}

/// Where the last fixed record ends.
pub fn fixed_end(records: &[UsageRecord]) -> u64 {
    records.iter().map(fixed_end_of).max().unwrap_or(0)
}

/// Where a fixed record ends; 0 for another one.
pub fn fixed_end_of(record: &UsageRecord) -> u64 {
    record.fixed().map_or(0, |offset| offset.saturating_add(record.size))
}

/// The place for each record's offset, or an error if the host's array has another length.
pub fn offsets<'a>(
    request: &PlanRequest<'_>,
    assignment: &'a mut AssignmentMut<'_>,
) -> Result<&'a mut [u64]> {
    let offsets = assignment.offsets();
    same_length(request.records, offsets)?;
    Ok(offsets)
}

/// An error unless there is an offset per record.
pub fn same_length(records: &[UsageRecord], offsets: &[u64]) -> Result<()> {
    ensure!(offsets.len() == records.len(), "room for {} offsets, {} records", offsets.len(), records.len());
    Ok(())
}

/// `⌈offset / alignment⌉ · alignment`, for an alignment that is a power of two.
pub fn align(offset: u64, alignment: u64) -> Result<u64> {
    offset
        .checked_next_multiple_of(alignment)
        .ok_or_else(|| invalid!("offset {offset} overflows when it is aligned to {alignment} bytes"))
}

/// `offset + size`.
pub fn end(offset: u64, size: u64) -> Result<u64> {
    offset.checked_add(size).ok_or_else(|| invalid!("the plan overflows: {size} bytes at offset {offset}"))
}

fn count(records: usize) -> Result<()> {
    ensure!(records <= MOST_RECORDS, "{records} records, at most {MOST_RECORDS} can be planned");
    Ok(())
}

fn life(i: usize, (first_node, last_node): (u32, u32)) -> Result<()> {
    ensure!(
        first_node <= last_node,
        "record {i}: its first node {first_node} comes after its last node {last_node}"
    );
    Ok(())
}

fn one(i: usize, record: &UsageRecord, count: usize) -> Result<()> {
    let UsageRecord { size, alignment, first_node, last_node, share_with, .. } = *record;
    ensure!(alignment.is_power_of_two(), "record {i}: alignment {alignment} is not a power of two");
    life(i, (first_node, last_node))?;
    if let Some(offset) = record.fixed() {
        ensure!(
            offset.is_multiple_of(alignment),
            "record {i}: it lies at offset {offset}, which is no multiple of its alignment {alignment}"
        );
        ensure!(
            offset.checked_add(size).is_some(),
            "record {i}: {size} bytes at fixed offset {offset} end past 2^64"
        );
    }
    ensure!(
        share_with == -1 || usize::try_from(share_with).is_ok_and(|with| with < count && with != i),
        "record {i}: it may share the memory of record {share_with}, which is not another one of {count}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(record: UsageRecord) -> String {
        let good = UsageRecord::new(64, 0, 1);
        records(&[good, record]).unwrap_err().message().to_owned()
    }

    #[test]
    fn refusals_name_the_record_and_both_values() {
        let good = UsageRecord::new(64, 2, 3);
        let cases = [
            (UsageRecord { alignment: 48, ..good }, "record 1: alignment 48 is not a power of two"),
            (UsageRecord { alignment: 0, ..good }, "record 1: alignment 0 is not a power of two"),
            (UsageRecord { first_node: 4, ..good }, "record 1: its first node 4 comes after its last node 3"),
            (
                UsageRecord { fixed_offset: 100, ..good },
                "record 1: it lies at offset 100, which is no multiple of its alignment 64",
            ),
            (
                UsageRecord { fixed_offset: u64::MAX - 63, ..good },
                "record 1: 64 bytes at fixed offset 18446744073709551552 end past 2^64",
            ),
            (
                UsageRecord { share_with: 2, ..good },
                "record 1: it may share the memory of record 2, which is not another one of 2",
            ),
            (
                UsageRecord { share_with: 1, ..good },
                "record 1: it may share the memory of record 1, which is not another one of 2",
            ),
        ];
        for (record, text) in cases {
            assert_eq!(message(record), text);
        }
    }

    #[test]
    fn arithmetic_at_the_edge() {
        assert_eq!(align(65, 64).unwrap(), 128);
        assert_eq!(align(128, 64).unwrap(), 128);
        assert!(align(u64::MAX, 64).is_err());
        assert_eq!(end(u64::MAX - 1, 1).unwrap(), u64::MAX);
        assert!(end(u64::MAX, 1).is_err());
    }
}
