//! Rsqrt: `y = 1 / √x`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_rsqrt.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Rsqrt = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRsqrt";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| 1.0 / libm::sqrt(x)),
        complex: Some(|x| complex::div(complex::real(1.0), complex::sqrt(x))),
        ..Functions::NONE
    };
}
