//! How each node changes the live bytes.

use super::problem::{Node, Problem};

/// How a node changes the live bytes.
#[derive(Default)]
pub(super) struct Bytes {
    written: u64,
    /// The part of `written` that no other node reads.
    unread: u64,
    /// Bytes of values that only this node reads.
    freed: u64,
    /// Each value that other nodes also read: its bytes and index. The last reader frees it.
    pub(super) shared: Vec<(u64, usize)>,
    /// The sum of the bytes in `shared`.
    shared_bytes: u64,
    /// The input whose memory an output takes over: its bytes and index.
    pub(super) taken: Option<(u64, usize)>,
    scratch: u64,
}

impl Bytes {
    /// Live bytes while the node runs, and after it: `live` are alive before it, `last` are freed by it as the last
    /// reader, and an output takes over `in_place`.
    pub(super) fn cost(&self, live: u64, last: u64, in_place: u64) -> (u64, u64) {
        let with = live.saturating_add(self.written);
        (
            with.saturating_sub(in_place).saturating_add(self.scratch),
            with.saturating_sub(self.unread).saturating_sub(self.freed.saturating_add(last)),
        )
    }

    /// Lower bounds of [`Bytes::cost`] for every set of executed nodes.
    pub(super) fn least_cost(&self, live: u64) -> (u64, u64) {
        self.cost(live, self.shared_bytes, self.taken.map_or(0, |(size, _)| size))
    }
}

/// The bytes of each node.
pub(super) fn bytes(problem: &Problem, readers: &[Vec<usize>]) -> Vec<Bytes> {
    let of = |(i, node): (usize, &Node)| {
        let size = |value: usize| problem.sizes[value];
        let is_freed = |value: usize| !problem.kept[value];
        // Each list names a reader only once, in ascending order.
        let is_shared =
            |value: usize| readers[value].len() > usize::from(readers[value].binary_search(&i).is_ok());
        let total = |values: &mut dyn Iterator<Item = usize>| {
            values.map(size).fold(0, |sum: u64, size| sum.saturating_add(size))
        };
        let alone =
            |values: &[usize]| total(&mut values.iter().copied().filter(|&v| is_freed(v) && !is_shared(v)));
        let written = total(&mut node.writes.iter().copied());
        let shared = node.reads.iter().copied().filter(|&v| is_freed(v) && is_shared(v));
        let shared: Vec<_> = shared.map(|v| (size(v), v)).collect();
        Bytes {
            written,
            unread: alone(&node.writes),
            freed: alone(&node.reads),
            shared_bytes: total(&mut shared.iter().map(|&(_, v)| v)),
            shared,
            taken: node.takes_over.filter(|&v| is_freed(v)).map(|v| (size(v).min(written), v)),
            scratch: node.scratch,
        }
    };
    problem.nodes.iter().enumerate().map(of).collect()
}
