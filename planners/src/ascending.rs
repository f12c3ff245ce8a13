//! A sorted list of nodes, with a fast count of the nodes before a given one.
//!
//! ```text
//! node      0   1   2   3 │ 4   5   6   7 │ 8   9         about as many parts of equal length as nodes
//!           ■       ■   ■ │               │     ■ ■
//! before    0               3               3             looked up per part, then searched within the part
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Index;

/// Sorted nodes; duplicates are kept.
pub(crate) struct Ascending {
    nodes: Vec<i64>,
    /// The number of nodes before each part of `2^shift` nodes, and before the end of the last part.
    before: Vec<u32>,
    shift: u32,
}

impl Ascending {
    /// `nodes` must be in ascending order.
    pub(crate) fn new(nodes: Vec<i64>) -> Self {
        let last = nodes.first().zip(nodes.last()).map_or(0, |(first, last)| last - first);
        let mut shift = 0;
        while last >> shift > nodes.len() as i64 {
            shift += 1;
        }
        let mut before = vec![0; (last >> shift) as usize + 2];
        nodes.iter().for_each(|node| before[((node - nodes[0]) >> shift) as usize + 1] += 1);
        let mut count = 0;
        for place in &mut before {
            count += *place;
            *place = count;
        }
        Ascending { nodes, before, shift }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of nodes before `node`.
    pub(crate) fn before(&self, node: i64) -> usize {
        match (self.nodes.first(), self.nodes.last()) {
            (Some(&first), _) if node <= first => 0,
            (Some(&first), Some(&last)) if node <= last => {
                let part = ((node - first) >> self.shift) as usize;
                let (start, end) = (self.before[part] as usize, self.before[part + 1] as usize);
                // A part that spans a single node has no nodes before that one.
                if self.shift == 0 {
                    return start;
                }
                start + self.nodes[start..end].partition_point(|&other| other < node)
            }
            _ => self.nodes.len(),
        }
    }

    /// Node number `i`.
    pub(crate) fn get(&self, i: usize) -> Option<i64> {
        self.nodes.get(i).copied()
    }
}

impl Index<usize> for Ascending {
    type Output = i64;

    fn index(&self, i: usize) -> &i64 {
        &self.nodes[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_before_a_node() {
        let lists = [vec![], vec![5], vec![-7, -7, -3, 0, 0, 2], vec![-(1 << 33), 0, 0, 8, 1 << 33]];
        for list in lists {
            let ascending = Ascending::new(list.clone());
            assert_eq!(ascending.len(), list.len());
            for node in (-9..9).chain([-(1 << 33), 1 << 33, (1 << 33) + 1]) {
                let expected = list.iter().filter(|&&other| other < node).count();
                assert_eq!(ascending.before(node), expected, "{node} in {list:?}");
            }
        }
    }
}
