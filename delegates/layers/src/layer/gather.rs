//! Slices of a tensor that indices select.

/// `x[batch, outer, axis, inner]` at `indices[batch, coords]` gives `y[batch, outer, coords, inner]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The number of batches.
    pub batch: usize,
    /// Elements of the dimensions between batches and the axis.
    pub outer: usize,
    /// The size of the axis.
    pub axis: usize,
    /// Indices per batch.
    pub coords: usize,
    /// Bytes of the dimensions after the axis.
    pub bytes: usize,
}

/// Selects slices by indices.
pub struct Gather(pub Groups);
