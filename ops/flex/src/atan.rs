//! Atan: `y = atan(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_atan.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Atan = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAtan";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::atan),
        complex: Some(complex::atan),
        ..Functions::NONE
    };
}
