//! SigmoidGrad: `dx = dy · y (1 − y)`; inputs `y`, `dy`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sigmoid.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type SigmoidGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSigmoidGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| dy * y * (1.0 - y)),
        ..Functions::NONE
    };
}
