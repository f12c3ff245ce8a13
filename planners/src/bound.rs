//! The lower bound: the bytes alive at the busiest node. No plan needs less.
//!
//! If all offsets are multiples of `a`, each record takes up its size rounded up to `a`, except the topmost one:
//!
//! ```text
//! a = 64      ┌──────────────┐ ◄── 138
//!             │ 10           │         the topmost record is not rounded up
//!       128 ─ ├──────────────┤
//!             │ 100          │ ░░      28 bytes that no record can use
//!         0 ─ └──────────────┘
//! ```
//!
//! So each alignment that occurs gives a bound, computed from the records with at least that alignment.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use arenite_abi::prelude::*;

use crate::groups::{self, Event, Groups};
use crate::{order, validate};

/// The bytes that any plan of `records` needs. Takes O(n log n).
///
/// # Errors
/// A record is malformed or the bound exceeds 2⁶⁴.
pub fn lower_bound(records: &[UsageRecord]) -> Result<u64> {
    validate::records(records)?;
    Groups::new(records).iter().try_fold(0, |bound, group| Ok(of_group(records, group)?.max(bound)))
}

/// The number of alignments that are tried.
const MOST_ALIGNMENTS: usize = 8;

/// The bound for records that are connected in time, given in order of their first node.
pub(crate) fn of_group(records: &[UsageRecord], group: &[u32]) -> Result<u64> {
    let mut of_each = group.to_vec();
    order::sort_by_key(&mut of_each, |i| records[i as usize].alignment);
    let mut alignments: Vec<u64> = of_each.into_iter().map(|i| records[i as usize].alignment).collect();
    alignments.dedup();
    alignments.iter().take(MOST_ALIGNMENTS).try_fold(0, |bound, &alignment| {
        let aligned = group.iter().copied().filter(|&i| records[i as usize].alignment >= alignment);
        Ok(of_aligned(records, &aligned.collect::<Vec<_>>(), alignment)?.max(bound))
    })
}

/// The bound for records whose offsets are multiples of `alignment`, given in order of their first node.
fn of_aligned(records: &[UsageRecord], group: &[u32], alignment: u64) -> Result<u64> {
    let record = |place: usize| &records[group[place] as usize];
    let rounded = |place| u128::from(record(place).size).next_multiple_of(alignment.into());
    let unused = |place| rounded(place) - u128::from(record(place).size);
    let fixed_end = |record: &UsageRecord| record.fixed().map_or(0, |offset| offset + record.size);
    let mut bound = group.iter().map(|&i| fixed_end(&records[i as usize])).max().map_or(0, u128::from);
    let mut alive = 0;
    let mut unused_alive: BTreeMap<u128, u32> = BTreeMap::new();
    groups::tell(records, group, |event| match event {
        Event::Birth(place) => {
            alive += rounded(place);
            *unused_alive.entry(unused(place)).or_default() += 1;
        }
        Event::Full => bound = bound.max(alive - unused_alive.last_key_value().map_or(0, |(&most, _)| most)),
        Event::Death(place) => {
            alive -= rounded(place);
            if let Some(count) = unused_alive.get_mut(&unused(place)) {
                *count -= 1;
                if *count == 0 {
                    unused_alive.remove(&unused(place));
                }
            }
        }
    });
    u64::try_from(bound).map_err(|_| invalid!("{bound} bytes are alive at the same time, more than 2^64"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    fn bound(records: &[UsageRecord]) -> u64 {
        lower_bound(records).unwrap()
    }

    #[test]
    fn classic_cases() {
        assert_eq!(bound(&classic::records(&classic::CHAIN)), 96);
        assert_eq!(bound(&classic::records(&classic::COMPLEX)), 96);
        assert_eq!(bound(&[]), 0);
    }

    #[test]
    fn all_sizes_but_the_topmost_are_rounded_up() {
        let aligned = |size, first, last| UsageRecord::new(size, first, last);
        assert_eq!(bound(&[aligned(100, 0, 1), aligned(10, 0, 1)]), 138);
        assert_eq!(bound(&[aligned(100, 0, 1), aligned(10, 0, 0), aligned(1, 1, 1)]), 138);
        let packed = UsageRecord { alignment: 1, ..aligned(10, 0, 1) };
        assert_eq!(bound(&[aligned(100, 0, 1), packed]), 110);
        assert_eq!(bound(&[aligned(100, 0, 1), aligned(100, 1, 1), packed]), 228);
    }

    #[test]
    fn the_end_of_a_fixed_record_is_a_bound() {
        let fixed = UsageRecord { fixed_offset: 640, ..UsageRecord::new(10, 0, 1) };
        assert_eq!(bound(&[fixed, UsageRecord::new(64, 1, 2)]), 650);
    }

    #[test]
    fn a_bound_beyond_64_bits_is_an_error() {
        let huge = UsageRecord::new(u64::MAX - 100, 0, 1);
        assert_eq!(bound(&[huge]), u64::MAX - 100);
        let error = lower_bound(&[huge, huge]).unwrap_err();
        assert!(error.message().contains("are alive at the same time, more than 2^64"), "{error}");
    }
}
