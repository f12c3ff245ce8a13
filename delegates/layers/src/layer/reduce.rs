//! Sums, means and extremes along axes.

use arenite_base::Reduction;

/// A reduction along axes.
pub struct Reduce {
    /// The function.
    pub fold: Reduction,
    /// Whether each axis of the input is folded. At least one folded axis has more than one element.
    pub folded: Vec<bool>,
    /// The divisor of sums.
    pub divisor: f32,
}
