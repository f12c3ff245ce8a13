//! Selu: ELU with fixed scales. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Selu = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSelu";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| {
            if x < 0.0 { functions::SELU_SCALE_ALPHA * libm::expm1(x) } else { functions::SELU_SCALE * x }
        }),
        ..Functions::NONE
    };
}
