//! Sinh: `y = sinh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sinh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sinh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSinh";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::sinh),
        complex: Some(complex::sinh),
        ..Functions::NONE
    };
}
