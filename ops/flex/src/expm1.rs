//! Expm1: `y = e^x − 1`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_expm1.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Expm1 = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexExpm1";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::expm1),
        complex: Some(|x| complex::sub(complex::exp(x), complex::real(1.0))),
        ..Functions::NONE
    };
}
