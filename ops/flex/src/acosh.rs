//! Acosh: `y = acosh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_acosh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Acosh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAcosh";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::acosh),
        complex: Some(complex::acosh),
        ..Functions::NONE
    };
}
