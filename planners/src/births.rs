//! The nodes at which lifetimes start (*births*). The number of bytes alive only grows at births, so its maximum is
//! reached at one of them. Time is counted in their indices.
//!
//! ```text
//! node    0  1  2  3  4  5  6  7
//!         A──────────┘     C──┘        births 0, 2, 6 have the indices 0, 1, 2
//!               B────────────┘         A spans 0..2, B 1..3, C 2..3
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use arenite_abi::UsageRecord;

use crate::ascending::Ascending;
use crate::order;

/// The first and last node of a lifetime, both inclusive.
pub(crate) type Life = (u32, u32);

/// The lifetime of a record.
pub(crate) fn life(record: &UsageRecord) -> Life {
    (record.first_node, record.last_node)
}

/// The nodes at which a lifetime starts, ascending, without duplicates.
pub(crate) struct Births {
    nodes: Ascending,
}

impl Births {
    /// The births of `lives`.
    pub(crate) fn new(lives: impl Iterator<Item = Life>) -> Self {
        let mut nodes: Vec<i64> = lives.map(|(first, _)| first.into()).collect();
        if !nodes.is_sorted() {
            let order = order::by_key(nodes.len(), |i| nodes[i as usize]);
            nodes = order.into_iter().map(|i| nodes[i as usize]).collect();
        }
        nodes.dedup();
        Births { nodes: Ascending::new(nodes) }
    }

    /// The number of births.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The range of births within a lifetime.
    pub(crate) fn span(&self, (first, last): Life) -> Range<usize> {
        self.nodes.before(first.into())..self.nodes.before(i64::from(last) + 1)
    }

    /// The node of the last birth that is not after `node`, or the first birth's node if all are after it.
    pub(crate) fn not_after(&self, node: u32) -> u32 {
        let births = self.nodes.before(i64::from(node) + 1);
        self.nodes.get(births.saturating_sub(1)).map_or(0, |node| node as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let births = Births::new([(6, 7), (0, 3), (2, 6), (2, 9)].into_iter());
        assert_eq!(births.len(), 3);
        assert_eq!([0, 1, 5, 6, 9].map(|node| births.not_after(node)), [0, 0, 2, 6, 6]);
        let sparse = Births::new([(0, 3), (2, 6), (4_000_000_000, u32::MAX)].into_iter());
        for (life, span) in [((0, 3), 0..2), ((2, 5), 1..2), ((3, 5), 2..2), ((2, 6), 1..3), ((7, 9), 3..3)] {
            assert_eq!(births.span(life), span, "{life:?}");
            assert_eq!(sparse.span((life.0, life.1.min(5))).start, span.start.min(2), "{life:?}");
        }
        assert_eq!(births.span((0, u32::MAX)), 0..3);
        assert_eq!(sparse.span((3, u32::MAX)), 2..3);
        assert_eq!(Births::new(core::iter::empty()).span((0, 7)), 0..0);
    }
}
