//! The nodes that no segment has yet, in the order in which they run.

use crate::graph::Graph;

/// The nodes in `left`, then all nodes starting at `rest`. Removing the first one takes constant time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PendingNodes {
    /// Nodes that were cut from a segment because an earlier partition in it has a result of dynamic shape.
    pub left: Vec<usize>,
    pub rest: usize,
}

impl PendingNodes {
    /// The nodes of `graph`.
    pub(crate) fn nodes(&self, graph: &Graph) -> impl Iterator<Item = usize> + '_ {
        self.left.iter().copied().chain(self.rest..graph.nodes.len())
    }

    pub(crate) fn is_empty(&self, graph: &Graph) -> bool {
        self.left.is_empty() && self.rest == graph.nodes.len()
    }

    /// The nodes that remain after the first `count` ran, preceded by `left`, the ones among these that did not run.
    pub(crate) fn after(&self, count: usize, left: Vec<usize>) -> PendingNodes {
        let listed = self.left.len();
        let behind = self.left.get(count..).unwrap_or(&[]);
        PendingNodes {
            left: left.into_iter().chain(behind.iter().copied()).collect(),
            rest: self.rest + count.saturating_sub(listed),
        }
    }

    /// Whether one of them reads tensor `t`.
    pub(crate) fn reads(&self, graph: &Graph, t: usize) -> bool {
        graph.last_reader(t).is_some_and(|reader| reader >= self.rest)
            || self.left.iter().any(|&node| graph.nodes[node].inputs.contains(&(t as i32)))
    }

    /// Whether one of them writes tensor `t`.
    pub(crate) fn writes(&self, graph: &Graph, t: usize) -> bool {
        self.nodes(graph).any(|node| graph.nodes[node].outputs.contains(&(t as i32)))
    }
}
