//! Layer normalization.

use crate::net::Id;

/// `(x − mean) / √(variance + ε) · gamma + beta` along rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    /// `ε`.
    pub epsilon: f32,
    /// A constant row.
    pub gamma: Option<Id>,
    /// A constant row.
    pub beta: Option<Id>,
}
