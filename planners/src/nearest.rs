//! A shrinking set of lifetimes: finds the one that starts first after one node and ends before another.
//!
//! ```text
//!          1            lifetimes by first node: leaves hold last nodes, tree nodes the least of them. To find
//!       ┌──┴──┐         the first leaf after a position whose last node is below a limit, go up until a tree
//!       4     1         to the right contains one, then down
//!     ┌─┴─┐ ┌─┴─┐
//!     7   4 9   1
//! ```

use alloc::vec;
use alloc::vec::Vec;

use crate::ascending::Ascending;
use crate::order;

/// Lifetimes sorted by first node. Each is identified by its rank, its index in the original order.
pub(crate) struct Nearest {
    /// For each leaf, the first node and the rank; for each rank, the leaf.
    firsts: Ascending,
    ranks: Vec<u32>,
    leaves: Vec<u32>,
    /// For each tree node, the least last node.
    tree: Vec<i64>,
}

const GONE: i64 = i64::MAX;

impl Nearest {
    /// `lives`, with inclusive first and last nodes, by rank.
    pub(crate) fn new(lives: impl Iterator<Item = (i64, i64)>) -> Self {
        let lives: Vec<(i64, i64)> = lives.collect();
        let ranks = order::by_key(lives.len(), |rank| lives[rank as usize].0);
        let half = lives.len().next_power_of_two();
        let mut tree = vec![GONE; 2 * half];
        let mut leaves = vec![0; lives.len()];
        for (leaf, &rank) in ranks.iter().enumerate() {
            tree[half + leaf] = lives[rank as usize].1;
            leaves[rank as usize] = leaf as u32;
        }
        for node in (1..half).rev() {
            tree[node] = tree[2 * node].min(tree[2 * node + 1]);
        }
        let firsts = ranks.iter().map(|&rank| lives[rank as usize].0).collect();
        Nearest { firsts: Ascending::new(firsts), ranks, leaves, tree }
    }

    /// Removes the lifetime of this rank.
    pub(crate) fn remove(&mut self, rank: u32) {
        let mut node = self.leaves[rank as usize] as usize + self.tree.len() / 2;
        self.tree[node] = GONE;
        while node > 1 {
            node /= 2;
            let least = self.tree[2 * node].min(self.tree[2 * node + 1]);
            if core::mem::replace(&mut self.tree[node], least) == least {
                return;
            }
        }
    }

    /// Of the lifetimes that start after `after` and end before `before`, the one that starts first, then the one with
    /// the lowest rank. Returns how much later than `after` it starts, and its rank.
    pub(crate) fn find(&self, after: i64, before: i64) -> Option<(i64, u32)> {
        let half = self.tree.len() / 2;
        let start = self.firsts.before(after + 1);
        // The leaves below a tree node start at `node << height`.
        let (mut node, mut height) = (start + half, 0);
        loop {
            // A lifetime that starts at `before` or later does not end before it.
            if self.firsts.get((node << height) - half)? >= before {
                return None;
            }
            if self.tree[node] < before {
                break;
            }
            node += 1;
            if node.is_power_of_two() {
                return None;
            }
            height += node.trailing_zeros();
            node >>= node.trailing_zeros();
        }
        while node < half {
            node *= 2;
            if self.tree[node] >= before {
                node += 1;
            }
        }
        Some((self.firsts[node - half] - after, self.ranks[node - half]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_of_many() {
        let lives: Vec<(i64, i64)> = (0..50).map(|i| (i * 7 % 20, i * 7 % 20 + i * 5 % 9)).collect();
        let mut nearest = Nearest::new(lives.iter().copied());
        let mut left: Vec<u32> = (0..50).collect();
        for gone in (0..50).map(|i| i * 13 % 50) {
            for (after, before) in (-1..20).flat_map(|after| [(after, after + 4), (after, 9), (after, 40)]) {
                let fits = left.iter().map(|&i| (lives[i as usize], i));
                let fits = fits.filter(|((first, last), _)| *first > after && *last < before);
                let expected = fits.map(|((first, _), i)| (first - after, i)).min();
                assert_eq!(nearest.find(after, before), expected, "{after}..{before}");
            }
            nearest.remove(gone);
            left.retain(|&i| i != gone);
        }
        assert_eq!(Nearest::new(core::iter::empty()).find(0, 1), None);
    }
}
