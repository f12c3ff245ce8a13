//! Exp: `y = e^x`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_exp.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Exp = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexExp";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::exp),
        complex: Some(complex::exp),
        ..Functions::NONE
    };
}
