//! The nodes at which a life begins. Between two of them nobody is born, so that the most that is alive at once is
//! found at one of them; time is counted in their numbers.
//!
//! ```text
//! node    0  1  2  3  4  5  6  7
//!         A──────────┘     C──┘        births 0, 2, 6 have the numbers 0, 1, 2
//!               B────────────┘         A spans 0..2, B 1..3, C 2..3
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use arenite_abi::UsageRecord;

use crate::ascending::Ascending;
use crate::order;

/// First and last node of a life, both inclusive.
pub type Life = (u32, u32);

/// The life of a record.
pub fn life(record: &UsageRecord) -> Life {
    (record.first_node, record.last_node)
}

/// Nodes at which a life begins, ascending, each once.
pub struct Births {
    nodes: Ascending,
}

impl Births {
    /// Where `lives` begin.
    pub fn new(lives: impl Iterator<Item = Life>) -> Self {
        let mut nodes: Vec<i64> = lives.map(|(first, _)| first.into()).collect();
        if !nodes.is_sorted() {
            let order = order::by_key(nodes.len(), |i| nodes[i as usize]);
            nodes = order.into_iter().map(|i| nodes[i as usize]).collect();
        }
        nodes.dedup();
        Births { nodes: Ascending::new(nodes) }
    }

    /// How many births there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The births within a life.
    pub fn span(&self, (first, last): Life) -> Range<usize> {
        self.nodes.before(first.into())..self.nodes.before(i64::from(last) + 1)
    }

    /// The node of the last birth that is not after `node`; of the first, if all are.
    pub fn not_after(&self, node: u32) -> u32 {
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
