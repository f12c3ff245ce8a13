//! The bytes alive at each node: a segment tree with lazy sums over ranges.

use std::ops::Range;

use arenite_abi::UsageRecord;

/// The first and the last node during which a value is alive.
#[derive(Clone, Copy, Default)]
pub(super) struct Lifetime {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Lifetime {
    pub(super) fn of(record: &UsageRecord) -> Self {
        Lifetime { first: record.first_node, last: record.last_node }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Lifetime { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Bytes per node. Consecutive nodes without a birth or death between them share an entry.
#[derive(Clone)]
pub(super) struct Live {
    /// The nodes where a lifetime starts, and those just after one ends, in ascending order.
    nodes: Vec<u32>,
    /// For each node of the tree: the amount added to all its leaves, and the highest sum below it, including that
    /// amount.
    added: Vec<i128>,
    highest: Vec<i128>,
}

impl Live {
    /// Creates the tree for lifetimes that start and end at these nodes.
    pub(super) fn new(lives: impl Iterator<Item = Lifetime>) -> Self {
        let mut nodes: Vec<u32> = lives.flat_map(|life| [life.first, life.last.saturating_add(1)]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let size = 2 * nodes.len().next_power_of_two();
        Live { nodes, added: vec![0; size], highest: vec![0; size] }
    }

    /// Adds `bytes` to all nodes of a lifetime.
    pub(super) fn add(&mut self, life: Lifetime, bytes: i128) {
        self.add_in(1, 0..self.added.len() / 2, &self.leaves(life), bytes);
    }

    /// The highest number of bytes at any node of a lifetime.
    pub(super) fn highest(&self, life: Lifetime) -> i128 {
        self.highest_in(1, 0..self.added.len() / 2, &self.leaves(life)).unwrap_or(0)
    }

    /// The first node with the most live bytes, and their number.
    pub(super) fn peak(&self) -> (u32, i128) {
        let (mut node, half) = (1, self.added.len() / 2);
        while node < half {
            node = 2 * node + usize::from(self.highest[2 * node] < self.highest[2 * node + 1]);
        }
        (self.nodes.get(node - half).copied().unwrap_or(0), self.highest[1])
    }

    fn leaves(&self, life: Lifetime) -> Range<usize> {
        self.nodes.partition_point(|&n| n < life.first)..self.nodes.partition_point(|&n| n <= life.last)
    }

    /// Adds `bytes` to the leaves of `range` below `node`, whose leaves are `own`.
    fn add_in(&mut self, node: usize, own: Range<usize>, range: &Range<usize>, bytes: i128) {
        if range.end <= own.start || own.end <= range.start {
            return;
        }
        if range.start <= own.start && own.end <= range.end {
            self.added[node] += bytes;
            self.highest[node] += bytes;
            return;
        }
        let middle = own.start.midpoint(own.end);
        self.add_in(2 * node, own.start..middle, range, bytes);
        self.add_in(2 * node + 1, middle..own.end, range, bytes);
        self.highest[node] = self.added[node] + self.highest[2 * node].max(self.highest[2 * node + 1]);
    }

    /// The highest sum at the leaves of `range` below `node`, whose leaves are `own`.
    fn highest_in(&self, node: usize, own: Range<usize>, range: &Range<usize>) -> Option<i128> {
        if range.end <= own.start || own.end <= range.start {
            return None;
        }
        if range.start <= own.start && own.end <= range.end {
            return Some(self.highest[node]);
        }
        let middle = own.start.midpoint(own.end);
        let below = [
            self.highest_in(2 * node, own.start..middle, range),
            self.highest_in(2 * node + 1, middle..own.end, range),
        ];
        below.into_iter().flatten().max().map(|highest| highest + self.added[node])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_sum_of_any_range() {
        let lives = (0..40u32).map(|i| (i * 7 % 30, i * 7 % 30 + i * 5 % 11)).chain([(3, u32::MAX)]);
        let lives: Vec<Lifetime> = lives.map(|(first, last)| Lifetime { first, last }).collect();
        let mut live = Live::new(lives.iter().copied());
        let mut plain = vec![0i128; 60];
        for (i, &life) in lives.iter().enumerate() {
            let bytes = (i as i128 * 13) % 17 - 4;
            live.add(life, bytes);
            plain
                .iter_mut()
                .enumerate()
                .filter(|(n, _)| (life.first..=life.last).contains(&(*n as u32)))
                .for_each(|(_, sum)| *sum += bytes);
            let (node, bytes) = live.peak();
            assert_eq!((plain.get(node as usize), plain.iter().max()), (Some(&bytes), Some(&bytes)));
            for &life in &lives {
                let Lifetime { first, last } = life;
                let want = plain[first as usize..=(last as usize).min(59)].iter().max().copied();
                assert_eq!(Some(live.highest(life)), want, "{i}: {first}..={last}");
            }
        }
    }
}
