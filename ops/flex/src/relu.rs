//! Relu: `y = max(x, 0)`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Relu = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRelu";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| if x < 0.0 { 0.0 } else { x }),
        int: Some(|x| x.max(0)),
        ..Functions::NONE
    };
}
