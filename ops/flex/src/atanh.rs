//! Atanh: `y = atanh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_atanh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Atanh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAtanh";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::atanh),
        complex: Some(complex::atanh),
        ..Functions::NONE
    };
}
