//! EluGrad: `dx = dy`, times `y + 1` where `y` is below zero; inputs `dy`, `y`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type EluGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexEluGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, y| if y < 0.0 { dy * (y + 1.0) } else { dy }),
        ..Functions::NONE
    };
}
