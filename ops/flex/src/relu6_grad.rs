//! Relu6Grad: `dx = dy` where `x` lies between 0 and 6; inputs `dy`, `x`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Relu6Grad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRelu6Grad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, x| if x > 0.0 && x < 6.0 { dy } else { 0.0 }),
        int: Some(|dy, x, _| Some(if x > 0 && x < 6 { dy } else { 0 })),
        ..Functions::NONE
    };
}
