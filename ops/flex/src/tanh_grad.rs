//! TanhGrad: `dx = dy (1 − y²)`; inputs `y`, `dy`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_tanh.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type TanhGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTanhGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| dy * (1.0 - y * y)),
        ..Functions::NONE
    };
}
