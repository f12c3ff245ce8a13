//! The nodes that no segment has yet, in the order in which they run.

use crate::graph::Graph;

/// Some nodes, and behind them all from `rest` on: so cutting off the first one takes no time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pending {
    /// Nodes that a partition's result of dynamic shape left behind.
    pub left: Vec<usize>,
    pub rest: usize,
}

impl Pending {
    /// The nodes of `graph`.
    pub fn nodes(&self, graph: &Graph) -> impl Iterator<Item = usize> + '_ {
        self.left.iter().copied().chain(self.rest..graph.nodes.len())
    }

    pub fn is_empty(&self, graph: &Graph) -> bool {
        self.left.is_empty() && self.rest == graph.nodes.len()
    }

    /// Those that remain when the first `count` ran, and before them `left`, of those that did not.
    pub fn after(&self, count: usize, left: Vec<usize>) -> Pending {
        let listed = self.left.len();
        let behind = self.left.get(count..).unwrap_or(&[]);
        Pending {
            left: left.into_iter().chain(behind.iter().copied()).collect(),
            rest: self.rest + count.saturating_sub(listed),
        }
    }

    /// Whether one of them reads tensor `t`.
    pub fn reads(&self, graph: &Graph, t: usize) -> bool {
        graph.last_reader(t).is_some_and(|reader| reader >= self.rest)
            || self.left.iter().any(|&node| graph.nodes[node].inputs.contains(&(t as i32)))
    }

    /// Whether one of them writes tensor `t`.
    pub fn writes(&self, graph: &Graph, t: usize) -> bool {
        self.nodes(graph).any(|node| graph.nodes[node].outputs.contains(&(t as i32)))
    }
}
