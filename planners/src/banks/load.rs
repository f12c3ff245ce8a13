//! The number of bytes of a bank's records that are alive together: a segment tree over the nodes at which lifetimes
//! start, with sums that apply to whole subtrees.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use arenite_abi::UsageRecord;

use crate::births::{Births, life};

/// Bytes that are alive at each birth.
pub(super) struct Load {
    births: Births,
    /// For each tree node: the bytes added to all of its leaves, and the maximum added below it.
    whole: Vec<u128>,
    below: Vec<u128>,
}

impl Load {
    /// An empty load for these records.
    pub(super) fn new(records: &[UsageRecord]) -> Self {
        let births = Births::new(records.iter().map(life));
        let nodes = 2 * births.len().next_power_of_two();
        Load { births, whole: vec![0; nodes], below: vec![0; nodes] }
    }

    /// Adds one of the records.
    pub(super) fn add(&mut self, record: &UsageRecord) {
        self.change(record, |whole| *whole += u128::from(record.size));
    }

    /// Removes a record that was added.
    pub(super) fn remove(&mut self, record: &UsageRecord) {
        self.change(record, |whole| *whole -= u128::from(record.size));
    }

    /// The largest number of bytes that are alive together during the record's lifetime.
    pub(super) fn most(&self, record: &UsageRecord) -> u128 {
        self.most_of(1, 0..self.whole.len() / 2, &self.births.span(life(record)))
    }

    fn most_of(&self, node: usize, leaves: Range<usize>, span: &Range<usize>) -> u128 {
        match Part::of(&leaves, span) {
            Part::None => 0,
            Part::All => self.whole[node] + self.below[node],
            Part::Some(middle) => {
                let left = self.most_of(2 * node, leaves.start..middle, span);
                let right = self.most_of(2 * node + 1, middle..leaves.end, span);
                self.whole[node] + left.max(right)
            }
        }
    }

    fn change(&mut self, record: &UsageRecord, change: impl Fn(&mut u128)) {
        let span = self.births.span(life(record));
        self.change_of(1, 0..self.whole.len() / 2, &span, &change);
    }

    fn change_of(
        &mut self,
        node: usize,
        leaves: Range<usize>,
        span: &Range<usize>,
        change: &impl Fn(&mut u128),
    ) {
        match Part::of(&leaves, span) {
            Part::None => {}
            Part::All => change(&mut self.whole[node]),
            Part::Some(middle) => {
                self.change_of(2 * node, leaves.start..middle, span, change);
                self.change_of(2 * node + 1, middle..leaves.end, span, change);
                let most = |node: usize| self.whole[node] + self.below[node];
                self.below[node] = most(2 * node).max(most(2 * node + 1));
            }
        }
    }
}

/// How a range of leaves relates to a span.
enum Part {
    None,
    All,
    /// Part of the range is inside; the position at which to halve it.
    Some(usize),
}

impl Part {
    fn of(leaves: &Range<usize>, span: &Range<usize>) -> Part {
        if span.end <= leaves.start || leaves.end <= span.start {
            Part::None
        } else if span.start <= leaves.start && leaves.end <= span.end {
            Part::All
        } else {
            Part::Some(leaves.start.midpoint(leaves.end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_sums_at_each_node() {
        let records: Vec<UsageRecord> = (0..40u32)
            .map(|i| UsageRecord::new(u64::from(i * 37 % 11 + 1), i * 7 % 23, i * 7 % 23 + i * 5 % 9))
            .collect();
        let mut load = Load::new(&records);
        let mut inside: Vec<UsageRecord> = Vec::new();
        for step in 0..120 {
            let record = records[step * 13 % 40];
            match step % 3 {
                2 if !inside.is_empty() => load.remove(&inside.swap_remove(step % inside.len())),
                _ => {
                    load.add(&record);
                    inside.push(record);
                }
            }
            for wanted in &records {
                let at = |node| inside.iter().filter(move |r| r.first_node <= node && node <= r.last_node);
                let sums = (wanted.first_node..=wanted.last_node)
                    .map(|node| at(node).map(|r| u128::from(r.size)).sum());
                assert_eq!(load.most(wanted), sums.max().unwrap_or(0));
            }
        }
    }
}
