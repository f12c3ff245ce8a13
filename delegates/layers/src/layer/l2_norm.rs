//! Rows scaled to length 1.

/// `x[i] / max(√Σ x[k]², 10⁻⁶)` along the last axis.
pub struct L2Norm;

impl L2Norm {
    /// The least length that rows are divided by.
    pub const LEAST: f32 = 1e-6;
}
