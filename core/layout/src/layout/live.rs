//! The bytes alive at each node: a segment tree with lazy sums over ranges.

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
    pub(super) fn new(lives: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut nodes: Vec<u32> = lives.flat_map(|(first, last)| [first, last.saturating_add(1)]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let size = 2 * nodes.len().next_power_of_two();
        Live { nodes, added: vec![0; size], highest: vec![0; size] }
    }

    /// Adds `bytes` to all nodes of a lifetime.
    pub(super) fn add(&mut self, life: (u32, u32), bytes: i128) {
        let (from, to) = self.leaves(life);
        self.add_in(1, (0, self.added.len() / 2), (from, to), bytes);
    }

    /// The highest number of bytes at any node of a lifetime.
    pub(super) fn highest(&self, life: (u32, u32)) -> i128 {
        let (from, to) = self.leaves(life);
        self.highest_in(1, (0, self.added.len() / 2), (from, to)).unwrap_or(0)
    }

    /// The first node with the most live bytes, and their number.
    pub(super) fn peak(&self) -> (u32, i128) {
        let (mut node, half) = (1, self.added.len() / 2);
        while node < half {
            node = 2 * node + usize::from(self.highest[2 * node] < self.highest[2 * node + 1]);
        }
        (self.nodes.get(node - half).copied().unwrap_or(0), self.highest[1])
    }

    fn leaves(&self, (first, last): (u32, u32)) -> (usize, usize) {
        (self.nodes.partition_point(|&n| n < first), self.nodes.partition_point(|&n| n <= last))
    }

    fn add_in(&mut self, node: usize, (low, high): (usize, usize), range: (usize, usize), bytes: i128) {
        if range.1 <= low || high <= range.0 {
            return;
        }
        if range.0 <= low && high <= range.1 {
            self.added[node] += bytes;
            self.highest[node] += bytes;
            return;
        }
        let middle = low.midpoint(high);
        self.add_in(2 * node, (low, middle), range, bytes);
        self.add_in(2 * node + 1, (middle, high), range, bytes);
        self.highest[node] = self.added[node] + self.highest[2 * node].max(self.highest[2 * node + 1]);
    }

    fn highest_in(&self, node: usize, (low, high): (usize, usize), range: (usize, usize)) -> Option<i128> {
        if range.1 <= low || high <= range.0 {
            return None;
        }
        if range.0 <= low && high <= range.1 {
            return Some(self.highest[node]);
        }
        let middle = low.midpoint(high);
        let below = [
            self.highest_in(2 * node, (low, middle), range),
            self.highest_in(2 * node + 1, (middle, high), range),
        ];
        below.into_iter().flatten().max().map(|highest| highest + self.added[node])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_sum_of_any_range() {
        let lives: Vec<(u32, u32)> =
            (0..40u32).map(|i| (i * 7 % 30, i * 7 % 30 + i * 5 % 11)).chain([(3, u32::MAX)]).collect();
        let mut live = Live::new(lives.iter().copied());
        let mut plain = vec![0i128; 60];
        for (i, &life) in lives.iter().enumerate() {
            let bytes = (i as i128 * 13) % 17 - 4;
            live.add(life, bytes);
            plain
                .iter_mut()
                .enumerate()
                .filter(|(n, _)| (life.0..=life.1).contains(&(*n as u32)))
                .for_each(|(_, sum)| *sum += bytes);
            let (node, bytes) = live.peak();
            assert_eq!((plain.get(node as usize), plain.iter().max()), (Some(&bytes), Some(&bytes)));
            for &(first, last) in &lives {
                let want = plain[first as usize..=(last as usize).min(59)].iter().max().copied();
                assert_eq!(Some(live.highest((first, last))), want, "{i}: {first}..={last}");
            }
        }
    }
}
