//! Sin: `y = sin(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sin.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sin = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSin";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::sin),
        complex: Some(complex::sin),
        ..Functions::NONE
    };
}
