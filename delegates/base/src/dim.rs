//! Dimensions of a copy, with strides on both sides.

/// One dimension of a box: its size, and the elements from one index to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Indices.
    pub size: usize,
    /// In the source.
    pub from: isize,
    /// In the target.
    pub to: isize,
}
