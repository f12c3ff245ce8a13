//! Tan: `y = tan(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_tan.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Tan = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTan";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::tan),
        complex: Some(complex::tan),
        ..Functions::NONE
    };
}
