//! MulNoNan: `y = a b`, zero where `b` is zero. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_mul_1.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type MulNoNan = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMulNoNan";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if b == 0.0 { 0.0 } else { a * b }),
        complex: Some(|a, b| {
            if b == complex::real(0.0) { b } else { complex::mul(a, b) }
        }),
        ..Functions::NONE
    };
}
