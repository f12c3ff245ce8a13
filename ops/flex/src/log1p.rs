//! Log1p: `y = log(1 + x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_log1p.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Log1p = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLog1p";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::log1p),
        complex: Some(|x| complex::log(complex::add(complex::real(1.0), x))),
        ..Functions::NONE
    };
}
