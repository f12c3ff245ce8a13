//! Relu6: `y = min(max(x, 0), 6)`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Relu6 = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRelu6";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| x.clamp(0.0, 6.0)),
        int: Some(|x| x.clamp(0, 6)),
        ..Functions::NONE
    };
}
