//! InvGrad: `dx = −dy · y²`; inputs `y`, `dy`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type InvGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexInvGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| -dy * y * y),
        ..Functions::NONE
    };
}
