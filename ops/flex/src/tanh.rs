//! Tanh: `y = tanh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_tanh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Tanh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTanh";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::tanh),
        complex: Some(complex::tanh),
        ..Functions::NONE
    };
}
