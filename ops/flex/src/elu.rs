//! Elu: `y = x` above zero, else `e^x − 1`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Elu = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexElu";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| if x < 0.0 { libm::expm1(x) } else { x }),
        ..Functions::NONE
    };
}
