//! RsqrtGrad: `dx = −dy · y³ / 2`; inputs `y`, `dy`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_rsqrt.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type RsqrtGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRsqrtGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| -0.5 * dy * y * y * y),
        ..Functions::NONE
    };
}
