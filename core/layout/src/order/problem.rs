//! The problem of the order search.

/// A graph of nodes and the values passed between them.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The nodes in their current order.
    pub nodes: Vec<Node>,
    /// Bytes of each value.
    pub sizes: Vec<u64>,
    /// For each value, whether it stays alive after all nodes have run.
    pub kept: Vec<bool>,
}

/// A node, with the values that it reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Indices of values, each once. A value that no node writes exists from the start.
    pub reads: Vec<usize>,
    /// Indices of values. Each value is written by at most one node.
    pub writes: Vec<usize>,
    /// Bytes of scratch memory while the node runs.
    pub scratch: u64,
    /// A value read by this node whose memory an output may take over, if no later node reads it.
    pub takes_over: Option<usize>,
    /// Nodes that must run before this one for reasons other than values.
    pub after: Vec<usize>,
}
