//! Groups of records that are connected in time, and the order in which their lifetimes start and end.
//!
//! ```text
//! node    0  1  2  3  4  5  6  7
//!         ■──■──■     ■──■               two groups: no record is alive both before node 4 and after
//!            ■──■──■        ■──■
//! ```
//!
//! Groups do not affect one another: a plan of all records is as large as the largest group's.

use core::ops::Range;

use crate::order;
use alloc::vec::Vec;
use arenite_abi::UsageRecord;

/// The groups of some records. Records of size 0 are in none.
pub(crate) struct Groups {
    /// The record numbers by first node, group after group.
    numbers: Vec<u32>,
    /// The range of each group in `numbers`.
    ranges: Vec<Range<usize>>,
}

impl Groups {
    /// Takes O(n log n).
    pub(crate) fn new(records: &[UsageRecord]) -> Self {
        let mut numbers: Vec<u32> =
            (0..).take(records.len()).filter(|&i| records[i as usize].size > 0).collect();
        order::sort_by_key(&mut numbers, |i| records[i as usize].first_node);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut last_node = 0;
        for (place, &i) in numbers.iter().enumerate() {
            let record = &records[i as usize];
            match ranges.last_mut() {
                Some(range) if record.first_node <= last_node => range.end = place + 1,
                _ => ranges.push(place..place + 1),
            }
            last_node = last_node.max(record.last_node);
        }
        Groups { numbers, ranges }
    }

    /// The numbers of each group's records, by first node.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.ranges.iter().map(|range| &self.numbers[range.clone()])
    }
}

/// An event in the lifetime of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The record at this index of the group starts to be alive.
    Birth(usize),
    /// The set of live records is maximal: no further record starts while all of them are alive.
    Full,
    /// The record at this index of the group dies.
    Death(usize),
}

/// Reports the events of a group's records, which are given by first node, in order of time. Takes O(n log n).
pub(crate) fn tell(records: &[UsageRecord], group: &[u32], mut event: impl FnMut(Event)) {
    let record = |place: usize| &records[group[place] as usize];
    let deaths = order::by_key(group.len(), |place| record(place as usize).last_node);
    let mut births = (0..group.len()).peekable();
    for dying in deaths.into_iter().map(|place| place as usize) {
        let mut is_full = false;
        while let Some(born) = births.next_if(|&place| record(place).first_node <= record(dying).last_node) {
            event(Event::Birth(born));
            is_full = true;
        }
        if is_full {
            event(Event::Full);
        }
        event(Event::Death(dying));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic;

    #[test]
    fn groups_are_connected_in_time() {
        let records =
            classic::records(&[(1, 5, 5), (1, 0, 2), (1, 6, 7), (0, 0, 9), (1, 1, 3), (1, 4, 5), (1, 8, 8)]);
        let groups = Groups::new(&records);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[1, 4][..], &[5, 0], &[2], &[6]]);
        assert_eq!(Groups::new(&[]).iter().count(), 0);
    }

    #[test]
    fn births_come_before_deaths_at_the_same_node() {
        use Event::{Birth, Death, Full};
        let records = classic::records(&[(1, 0, 2), (1, 1, 1), (1, 2, 3), (1, 3, u32::MAX)]);
        let mut told = Vec::new();
        tell(&records, &[0, 1, 2, 3], |event| told.push(event));
        let expected = [
            Birth(0),
            Birth(1),
            Full,
            Death(1),
            Birth(2),
            Full,
            Death(0),
            Birth(3),
            Full,
            Death(2),
            Death(3),
        ];
        assert_eq!(told, expected);
    }
}
