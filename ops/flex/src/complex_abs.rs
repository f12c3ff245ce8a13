//! ComplexAbs: `y = |x|` of complex numbers. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_abs.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type ComplexAbs = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexComplexAbs";
    const FUNCTIONS: Functions = Functions {
        part: Some(complex::abs),
        ..Functions::NONE
    };
}
