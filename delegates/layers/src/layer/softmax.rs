//! Softmax along the last axis, or its logarithm.

/// The function of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `exp(β (x[i] − max)) / Σ`.
    Softmax {
        /// β.
        beta: f32,
    },
    /// `x[i] − max − ln Σ exp(x[k] − max)`.
    Logarithm,
}

/// Softmax along the last axis, or its logarithm.
pub struct Softmax(pub Kind);
