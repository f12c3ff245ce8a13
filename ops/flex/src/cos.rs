//! Cos: `y = cos(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_cos.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Cos = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexCos";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::cos),
        complex: Some(complex::cos),
        ..Functions::NONE
    };
}
