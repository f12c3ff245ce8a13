//! The nodes at which a life begins. Between two of them nobody is born, so that the most that is alive at once is
//! found at one of them; time is counted in their numbers.
//!
//! ```text
//! node    0  1  2  3  4  5  6  7
//!         A──────────┘     C──┘        births 0, 2, 6 have the numbers 0, 1, 2
//!               B────────────┘         A spans 0..2, B 1..3, C 2..3
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use arenite_abi::UsageRecord;

/// First and last node of a life, both inclusive.
pub type Life = (u32, u32);

/// The life of a record.
pub fn life(record: &UsageRecord) -> Life {
    (record.first_node, record.last_node)
}

/// Nodes at which a life begins.
pub struct Births {
    /// Ascending, each once.
    nodes: Vec<u32>,
    /// How many births lie before each node, while that takes little more memory than the births.
    before: Vec<u32>,
}

impl Births {
    /// Where `lives` begin.
    pub fn new(lives: impl Iterator<Item = Life>) -> Self {
        let mut nodes: Vec<u32> = lives.map(|(first, _)| first).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let end = nodes.last().map_or(0, |&last| last as usize + 1);
        let mut before = Vec::new();
        if end <= 4 * nodes.len() + 1024 {
            before = vec![0; end];
            nodes.iter().for_each(|&node| before[node as usize] = 1);
            let mut count = 0;
            for place in &mut before {
                count += core::mem::replace(place, count);
            }
        }
        Births { nodes, before }
    }

    /// How many births there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node of birth number `i`.
    pub fn node(&self, i: usize) -> u32 {
        self.nodes[i]
    }

    /// How many births lie before `node`.
    pub fn before(&self, node: u32) -> usize {
        match self.before.get(node as usize) {
            Some(&count) => count as usize,
            None if !self.before.is_empty() => self.nodes.len(),
            None => self.nodes.partition_point(|&birth| birth < node),
        }
    }

    /// The births within a life.
    pub fn span(&self, (first, last): Life) -> Range<usize> {
        let end = last.checked_add(1).map_or(self.nodes.len(), |end| self.before(end));
        self.before(first)..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let births = Births::new([(6, 7), (0, 3), (2, 6), (2, 9)].into_iter());
        assert_eq!((births.len(), births.node(2)), (3, 6));
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
