//! Among lives that become fewer, the one that begins soonest after one node and ends before another.
//!
//! ```text
//!          1            lives by first node, each leaf with a last node, each node of the tree with the least of them:
//!       ┌──┴──┐         the first leaf behind a place whose life ends before a node is found by going up until a tree
//!       4     1         to the right has one, and down again
//!     ┌─┴─┐ ┌─┴─┐
//!     7   4 9   1
//! ```

use alloc::vec;
use alloc::vec::Vec;

use crate::ascending::Ascending;
use crate::order;

/// Lives by first node. They are known by their rank: the place in the order in which they were given.
pub struct Nearest {
    /// Per leaf the first node, and the rank; per rank the leaf.
    firsts: Ascending,
    ranks: Vec<u32>,
    leaves: Vec<u32>,
    /// Per node of the tree the least last node.
    tree: Vec<i64>,
}

const GONE: i64 = i64::MAX;

impl Nearest {
    /// `lives`, first and last node inclusive, by rank.
    pub fn new(lives: impl Iterator<Item = (i64, i64)>) -> Self {
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

    /// Takes the life of this rank out.
    pub fn remove(&mut self, rank: u32) {
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

    /// Of the lives that begin after `after` and end before `before` the one that begins first, of equal ones the one
    /// with the lowest rank: how much later it begins than `after`, and its rank.
    pub fn find(&self, after: i64, before: i64) -> Option<(i64, u32)> {
        let half = self.tree.len() / 2;
        let start = self.firsts.before(after + 1);
        // The leaves below a node of the tree are `node << height` and those behind it.
        let (mut node, mut height) = (start + half, 0);
        loop {
            // Who begins at `before` or later does not end before it.
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
