//! Usages with any kind of size, and the orders in which strategies process records.

use alloc::vec::Vec;
use core::cmp::Reverse;

use arenite_abi::UsageRecord;

use crate::births::Life;
use crate::order;

/// The requirement that a shared object meets: `S` is a size in bytes, a shape, or the extents of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage<S> {
    /// The size that the object must hold.
    pub size: S,
    /// The first and last node that need it.
    pub life: Life,
}

impl<S> Usage<S> {
    /// `first_node..=last_node`.
    pub const fn new(size: S, first_node: u32, last_node: u32) -> Self {
        Usage { size, life: (first_node, last_node) }
    }
}

/// The usages of records.
pub fn of_records(records: &[UsageRecord]) -> Vec<Usage<u64>> {
    records.iter().map(|record| Usage::new(record.size, record.first_node, record.last_node)).collect()
}

/// Numbers of the usages by first node, then by number.
pub(crate) fn by_first_node<S>(usages: &[Usage<S>]) -> Vec<u32> {
    if usages.is_sorted_by_key(|usage| usage.life.0) {
        return (0..).take(usages.len()).collect();
    }
    order::by_key(usages.len(), |i| usages[i as usize].life.0)
}

/// Numbers of the records by falling size, then by number.
pub(crate) fn by_size(records: &[UsageRecord]) -> Vec<u32> {
    order::by_key(records.len(), |i| Reverse(records[i as usize].size))
}

/// The distinct sizes, numbered in order: the number of each usage's size, and how many sizes there are.
pub(crate) fn classes<S: Ord + Copy>(usages: &[Usage<S>]) -> (Vec<u32>, usize) {
    let size = |i: u32| usages[i as usize].size;
    let order = order::by_key(usages.len(), size);
    let mut class = alloc::vec![0; usages.len()];
    let mut count = 0;
    for equal in order.chunk_by(|&a, &b| size(a) == size(b)) {
        equal.iter().for_each(|&i| class[i as usize] = count as u32);
        count += 1;
    }
    (class, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders() {
        let usages = [Usage::new(5u64, 3, 4), Usage::new(9, 0, 4), Usage::new(5, 3, 3), Usage::new(1, 2, 9)];
        assert_eq!(by_first_node(&usages), [1, 3, 0, 2]);
        assert_eq!(classes(&usages), (alloc::vec![1, 2, 1, 0], 3));
        let records = usages.map(|usage| UsageRecord::new(usage.size, usage.life.0, usage.life.1));
        assert_eq!(by_size(&records), [1, 0, 2, 3]);
        assert_eq!(of_records(&records), usages);
    }
}
