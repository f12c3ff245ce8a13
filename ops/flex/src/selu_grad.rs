//! SeluGrad: the gradient of SELU; inputs `dy`, `y`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::functions;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type SeluGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSeluGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, y| {
            dy * if y < 0.0 { y + functions::SELU_SCALE_ALPHA } else { functions::SELU_SCALE }
        }),
        ..Functions::NONE
    };
}
