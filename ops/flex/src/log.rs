//! Log: `y = log(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_log.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Log = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLog";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::log),
        complex: Some(complex::log),
        ..Functions::NONE
    };
}
