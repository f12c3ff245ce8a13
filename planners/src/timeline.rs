//! Which of many lives overlap a given one: a segment tree over the nodes at which a life begins.
//!
//! ```text
//!             0──3            a life [1, 3] is kept at the tree's node for 1 and at that for 2─3;
//!          ┌───┴───┐          the lives that hold node 2 are those kept between leaf 2 and the root
//!         0─1     2─3
//!        ┌─┴─┐   ┌─┴─┐
//!        0   1   2   3
//! ```
//!
//! Two lives overlap if the one holds the other's beginning. So a life `[a, b]` overlaps those that hold `a`, and those
//! that begin in `a + 1 ..= b`; no life is found twice.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// First and last node of a life, both inclusive.
pub type Life = (u32, u32);

/// Lives, each with the number that it was added under.
pub struct Timeline {
    /// The nodes at which a life begins, ascending: leaf `i` of the tree stands for `nodes[i]`.
    nodes: Vec<u32>,
    /// Per node of the tree, the newest entry kept there.
    newest: Vec<u32>,
    /// The number of a life, and the entry before it at the same node of the tree.
    entries: Vec<(u32, u32)>,
    /// Leaf at which a life begins, and its number.
    beginnings: BTreeSet<(usize, u32)>,
}

const NONE: u32 = u32::MAX;

impl Timeline {
    /// An empty timeline for lives that begin where one of these does.
    pub fn new(lives: impl Iterator<Item = Life>) -> Self {
        let mut nodes: Vec<u32> = lives.map(|(first, _)| first).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let newest = vec![NONE; 2 * nodes.len().next_power_of_two()];
        Timeline { nodes, newest, entries: Vec::new(), beginnings: BTreeSet::new() }
    }

    /// Adds a life.
    pub fn insert(&mut self, number: u32, life: Life) {
        let (low, high) = self.leaves(life);
        self.beginnings.insert((low, number));
        // The maximal subtrees within `low..=high`, from the leaves up.
        let half = self.newest.len() / 2;
        let (mut l, mut r) = (low + half, high + half + 1);
        while l < r {
            if l & 1 == 1 {
                self.keep(l, number);
                l += 1;
            }
            if r & 1 == 1 {
                r -= 1;
                self.keep(r, number);
            }
            l /= 2;
            r /= 2;
        }
    }

    /// Calls `visit` with the number of each life that overlaps `life`, until it breaks.
    pub fn overlapping(&self, life: Life, mut visit: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let (low, high) = self.leaves(life);
        let mut tree_node = low + self.newest.len() / 2;
        while tree_node > 0 {
            let mut entry = self.newest[tree_node];
            while entry != NONE {
                let (number, before) = self.entries[entry as usize];
                visit(number)?;
                entry = before;
            }
            tree_node /= 2;
        }
        self.beginnings.range((low + 1, 0)..(high + 1, 0)).try_for_each(|&(_, number)| visit(number))
    }

    fn keep(&mut self, tree_node: usize, number: u32) {
        self.entries.push((number, self.newest[tree_node]));
        self.newest[tree_node] = (self.entries.len() - 1) as u32;
    }

    /// The leaves for the beginning of a life and for the last beginning within it.
    fn leaves(&self, (first, last): Life) -> (usize, usize) {
        let low = self.nodes.partition_point(|&node| node < first);
        let high = self.nodes.partition_point(|&node| node <= last).saturating_sub(1);
        (low, high.max(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_overlapping_life_once() {
        let lives: Vec<Life> = (0..60u32)
            .map(|i| (i * 7 % 20, i * 7 % 20 + i * 5 % 9 + if i == 30 { 900 } else { 0 }))
            .collect();
        let mut timeline = Timeline::new(lives.iter().copied());
        for (i, &(first, last)) in lives.iter().enumerate() {
            let mut found = Vec::new();
            assert!(
                timeline
                    .overlapping((first, last), |n| {
                        found.push(n as usize);
                        ControlFlow::Continue(())
                    })
                    .is_continue()
            );
            found.sort_unstable();
            let expected: Vec<usize> =
                (0..i).filter(|&j| lives[j].0 <= last && first <= lives[j].1).collect();
            assert_eq!(found, expected, "{first}..={last}");
            timeline.insert(i as u32, (first, last));
        }
    }
}
