//! Sparse tensors.

/// Sparsity parameters to write.
#[derive(Clone, Debug, Default)]
pub struct Sparsity {
    /// Dimensions in storage order, block dimensions last.
    pub traversal_order: Vec<i32>,
    /// The dimension that each block dimension divides.
    pub block_map: Vec<i32>,
    /// One level per entry of the order.
    pub levels: Vec<Level>,
}

/// One level of a sparse tensor.
#[derive(Clone, Debug)]
pub enum Level {
    /// A dense level with this many entries.
    Dense(i32),
    /// A level with only the entries at `indices`; `segments` has the start of each parent's entries.
    Sparse {
        /// One entry per parent, plus one.
        segments: Vec<i32>,
        /// Positions of the entries.
        indices: Vec<i32>,
    },
}
