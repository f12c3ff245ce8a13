//! Asinh: `y = asinh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_asinh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Asinh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAsinh";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::asinh),
        complex: Some(complex::asinh),
        ..Functions::NONE
    };
}
