//! `NodeObserver`: what a program that measures nodes implements.

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

/// Is told when each node begins and ends, for example to read a timer. Nodes of called subgraphs are inside the node
/// that calls. A node that fails ends, too.
pub trait NodeObserver {
    /// The node is about to run.
    fn begin(&self, node: RunningNode);
    /// The node has run.
    fn end(&self, node: RunningNode);
}
