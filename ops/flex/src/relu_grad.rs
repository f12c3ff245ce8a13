//! ReluGrad: `dx = dy` where `x` is above zero; inputs `dy`, `x`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type ReluGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexReluGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, x| if x > 0.0 { dy } else { 0.0 }),
        int: Some(|dy, x, _| Some(if x > 0 { dy } else { 0 })),
        ..Functions::NONE
    };
}
