//! The checks that every planner makes before it starts, and overflow-checked arithmetic on offsets.

#[cfg(feature = "alloc")]
mod apart;

use arenite_abi::prelude::*;

use crate::few::Records;

#[cfg(feature = "alloc")]
pub use apart::{fixed_apart, usages};

/// The largest number of records: planners count them in 32 bits.
const MOST_RECORDS: usize = 1 << 26;

/// Checks each record: its alignment is a power of two, its lifetime does not end before it starts, a fixed offset is
/// aligned and its range ends below 2⁶⁴, and the record that it may share memory with exists. The error names the
/// record and both values.
///
/// # Errors
/// A record is malformed; the error names it and both values.
pub fn records(records: &[UsageRecord]) -> Result<()> {
    count(records.len())?;
    records.iter().enumerate().try_for_each(|(i, record)| one(i, record, records.len()))
}

/// The same for records in any storage.
///
/// # Errors
/// As [`records`].
pub fn few(records: &dyn Records) -> Result<()> {
    count(records.count())?;
    (0..records.count()).try_for_each(|i| one(i, &records.record(i), records.count()))
}

/// The end of the last fixed record.
pub fn fixed_end(records: &[UsageRecord]) -> u64 {
    records.iter().map(fixed_end_of).max().unwrap_or(0)
}

/// The end of a fixed record; 0 for other records.
pub fn fixed_end_of(record: &UsageRecord) -> u64 {
    record.fixed().map_or(0, |offset| offset.saturating_add(record.size))
}

/// The array for the offsets.
///
/// # Errors
/// The host's array has another length.
pub fn offsets<'a>(
    request: &PlanRequest<'_>,
    assignment: &'a mut AssignmentMut<'_>,
) -> Result<&'a mut [u64]> {
    let offsets = assignment.offsets();
    same_length(request.records, offsets)?;
    Ok(offsets)
}

/// Checks that there is one offset per record.
///
/// # Errors
/// The lengths differ.
pub fn same_length(records: &[UsageRecord], offsets: &[u64]) -> Result<()> {
    ensure!(
        offsets.len() == records.len(),
        "the array holds {} offsets, but there are {} records",
        offsets.len(),
        records.len()
    );
    Ok(())
}

/// `⌈offset / alignment⌉ · alignment`, for an alignment that is a power of two.
///
/// # Errors
/// The result exceeds 2⁶⁴.
pub fn align(offset: u64, alignment: u64) -> Result<u64> {
    let mask = alignment.wrapping_sub(1);
    let aligned = offset.checked_add(mask).map(|sum| sum & !mask);
    aligned.ok_or_else(|| invalid!("offset {offset} overflows when it is aligned to {alignment} bytes"))
}

/// `offset + size`.
///
/// # Errors
/// The result exceeds 2⁶⁴.
pub fn end(offset: u64, size: u64) -> Result<u64> {
    offset.checked_add(size).ok_or_else(|| invalid!("the plan overflows: {size} bytes at offset {offset}"))
}

fn count(records: usize) -> Result<()> {
    ensure!(records <= MOST_RECORDS, "{records} records, at most {MOST_RECORDS} can be planned");
    Ok(())
}

fn life(i: usize, first_node: u32, last_node: u32) -> Result<()> {
    ensure!(
        first_node <= last_node,
        "record {i}: its first node {first_node} comes after its last node {last_node}"
    );
    Ok(())
}

fn one(i: usize, record: &UsageRecord, count: usize) -> Result<()> {
    let UsageRecord { size, alignment, first_node, last_node, share_with, .. } = *record;
    ensure!(alignment.is_power_of_two(), "record {i}: alignment {alignment} is not a power of two");
    life(i, first_node, last_node)?;
    if let Some(offset) = record.fixed() {
        ensure!(
            offset & (alignment - 1) == 0,
            "record {i}: its fixed offset {offset} is not a multiple of its alignment {alignment}"
        );
        ensure!(
            offset.checked_add(size).is_some(),
            "record {i}: {size} bytes at fixed offset {offset} end past 2^64"
        );
    }
    ensure!(
        share_with == -1 || usize::try_from(share_with).is_ok_and(|with| with < count && with != i),
        "record {i}: it may share the memory of record {share_with}; this must be another one of the {count} records"
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
                "record 1: its fixed offset 100 is not a multiple of its alignment 64",
            ),
            (
                UsageRecord { fixed_offset: u64::MAX - 63, ..good },
                "record 1: 64 bytes at fixed offset 18446744073709551552 end past 2^64",
            ),
            (
                UsageRecord { share_with: 2, ..good },
                "record 1: it may share the memory of record 2; this must be another one of the 2 records",
            ),
            (
                UsageRecord { share_with: 1, ..good },
                "record 1: it may share the memory of record 1; this must be another one of the 2 records",
            ),
        ];
        for (record, text) in cases {
            assert_eq!(message(record), text);
        }
    }

    #[test]
    fn arithmetic_at_the_limits() {
        assert_eq!(align(65, 64).unwrap(), 128);
        assert_eq!(align(128, 64).unwrap(), 128);
        assert!(align(u64::MAX, 64).is_err());
        assert_eq!(end(u64::MAX - 1, 1).unwrap(), u64::MAX);
        assert!(end(u64::MAX, 1).is_err());
    }
}
