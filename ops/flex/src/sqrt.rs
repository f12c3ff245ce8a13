//! Sqrt: `y = √x`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sqrt.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sqrt = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSqrt";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::sqrt),
        complex: Some(complex::sqrt),
        ..Functions::NONE
    };
}
