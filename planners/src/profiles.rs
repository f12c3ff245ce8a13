//! The records that are alive at the same time: the breadth of each node, and the positional maxima.
//!
//! ```text
//! node              0   1   2   3
//! sizes alive       9   9   4   6      sorted by falling size
//!                       4   3   3
//!                           3
//! breadth           9  13  10   9      the sum
//! positional maxima 9 · 4 · 3          the largest at each position
//! ```
//!
//! Defined by: tflite/delegates/gpu/common/memory_management/internal.cc (`CalculateTaskProfiles`,
//! `CalculatePositionalMaximums`), which stores all the lists. Only nodes at which a record starts are examined: all
//! records that are alive at another node were also alive at the last start before it.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use arenite_abi::UsageRecord;

use crate::births::{Births, life};
use crate::order;

/// Records by the broadest node of their lifetime, then by the earlier node, then by falling size, then by number.
/// Takes O(n log n).
pub(crate) fn by_breadth(records: &[UsageRecord]) -> Vec<u32> {
    let births = Births::new(records.iter().map(life));
    let ranks = Ranks::new(&breadths(records, &births));
    let keys: Vec<(u32, Reverse<u64>)> =
        records.iter().map(|record| (ranks.least(births.span(life(record))), Reverse(record.size))).collect();
    order::by_key(keys.len(), |i| keys[i as usize])
}

/// For each birth, the sum of the sizes alive.
fn breadths(records: &[UsageRecord], births: &Births) -> Vec<u128> {
    let mut change = vec![0u128; births.len() + 1];
    for record in records {
        let span = births.span(life(record));
        change[span.start] = change[span.start].wrapping_add(record.size.into());
        change[span.end] = change[span.end].wrapping_sub(record.size.into());
    }
    change.pop();
    let mut breadth = 0u128;
    for place in &mut change {
        breadth = breadth.wrapping_add(*place);
        *place = breadth;
    }
    change
}

/// The rank of each birth by falling breadth, and the least rank within a range: a tree whose nodes hold the minimum of
/// their leaves.
struct Ranks {
    tree: Vec<u32>,
}

impl Ranks {
    fn new(breadths: &[u128]) -> Self {
        let broadest_first = order::by_key(breadths.len(), |i| Reverse(breadths[i as usize]));
        let count = breadths.len();
        let mut tree = vec![u32::MAX; 2 * count];
        for (rank, birth) in (0..).zip(broadest_first) {
            tree[count + birth as usize] = rank;
        }
        for node in (1..count).rev() {
            tree[node] = tree[2 * node].min(tree[2 * node + 1]);
        }
        Ranks { tree }
    }

    fn least(&self, span: Range<usize>) -> u32 {
        let count = self.tree.len() / 2;
        let (mut l, mut r, mut least) = (span.start + count, span.end + count, u32::MAX);
        while l < r {
            if l & 1 == 1 {
                least = least.min(self.tree[l]);
                l += 1;
            }
            if r & 1 == 1 {
                r -= 1;
                least = least.min(self.tree[r]);
            }
            l /= 2;
            r /= 2;
        }
        least
    }
}

/// The largest size at each position, over all nodes: maximum `k` is the largest size such that more than `k` records
/// of that size or larger are alive at the same time. `by_size` has the records' numbers by falling size. Takes O(n log
/// n).
pub(crate) fn positional_maxima(records: &[UsageRecord], by_size: &[u32]) -> Vec<u64> {
    let births = Births::new(records.iter().map(life));
    let mut depth = Depth::new(births.len());
    let mut maxima = Vec::new();
    for &i in by_size {
        let record = &records[i as usize];
        depth.add(births.span(life(record)));
        if depth.most() > maxima.len() {
            maxima.push(record.size);
        }
    }
    maxima
}

/// The largest number of records alive at any birth: each tree node holds the maximum of its leaves, without additions
/// to subtrees that contain it.
struct Depth {
    most: Vec<u32>,
    added: Vec<u32>,
}

impl Depth {
    fn new(births: usize) -> Self {
        let half = births.next_power_of_two();
        Depth { most: vec![0; 2 * half], added: vec![0; 2 * half] }
    }

    /// Adds one to these births.
    fn add(&mut self, span: Range<usize>) {
        let half = self.most.len() / 2;
        // The nodes of a level within the span, and the outermost nodes that are partly within it.
        let (mut l, mut r) = (span.start + half, span.end + half);
        let (mut left, mut right) = (l, r - 1);
        loop {
            if l < r && l & 1 == 1 {
                self.add_at(l);
                l += 1;
            }
            if l < r && r & 1 == 1 {
                r -= 1;
                self.add_at(r);
            }
            if left <= 1 {
                return;
            }
            (l, r, left, right) = (l / 2, r / 2, left / 2, right / 2);
            let has_changed = self.mend(left) | self.mend(right);
            if l >= r && !has_changed {
                return;
            }
        }
    }

    fn add_at(&mut self, node: usize) {
        self.most[node] += 1;
        self.added[node] += 1;
    }

    /// Updates a node after its children have changed. Returns whether it changes, too.
    fn mend(&mut self, node: usize) -> bool {
        let most = self.most[2 * node].max(self.most[2 * node + 1]) + self.added[node];
        core::mem::replace(&mut self.most[node], most) != most
    }

    fn most(&self) -> usize {
        self.most[1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{classic, usage};

    fn maxima(list: &[(u64, u32, u32)]) -> Vec<u64> {
        let records = classic::records(list);
        positional_maxima(&records, &usage::by_size(&records))
    }

    /// From internal_test.cc.
    #[test]
    fn positional_maxima_of_the_classic_cases() {
        assert!(maxima(&[]).is_empty());
        assert_eq!(maxima(&[(16, 0, 1)]), [16]);
        assert_eq!(maxima(&classic::CHAIN), [64, 32]);
        assert_eq!(maxima(&classic::COMPLEX), [64, 32, 8, 8]);
        assert_eq!(maxima(&[(0, 0, u32::MAX), (7, 3, u32::MAX)]), [7, 0]);
    }

    #[test]
    fn breadth_of_the_classic_cases() {
        let records = classic::records(&classic::COMPLEX);
        let births = Births::new(records.iter().map(life));
        assert_eq!(breadths(&records, &births), [32, 64, 40, 56, 64, 96, 72, 80, 32]);
        // Node 5: 64, 16, 8, 8. Node 7: 8, 8. Node 1: 32, 32, which comes before node 4. Node 8: 16.
        assert_eq!(by_breadth(&records), [5, 3, 2, 4, 6, 7, 0, 1, 8]);
        assert!(by_breadth(&[]).is_empty());
    }
}
