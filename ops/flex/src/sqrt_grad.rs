//! SqrtGrad: `dx = dy / (2 y)`; inputs `y`, `dy`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sqrt.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type SqrtGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSqrtGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| 0.5 * dy / y),
        ..Functions::NONE
    };
}
