//! Cosh: `y = cosh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_cosh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Cosh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexCosh";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::cosh),
        complex: Some(complex::cosh),
        ..Functions::NONE
    };
}
