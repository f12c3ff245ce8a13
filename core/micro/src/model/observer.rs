//! `NodeObserver`: functions that are called around each node.

/// A node that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningNode {
    /// Index of the subgraph.
    pub subgraph: usize,
    /// Position of the node.
    pub node: usize,
    /// The schema's number of the op.
    pub code: i32,
}

/// Functions that are called before and after each node, for example to read a timer. Nodes of a called subgraph run
/// inside the node that calls it. `end` is also called after a node that failed.
pub trait NodeObserver {
    /// The node is about to run.
    fn begin(&self, node: RunningNode);
    /// The node has run.
    fn end(&self, node: RunningNode);
}
