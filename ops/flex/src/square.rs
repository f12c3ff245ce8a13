//! Square: `y = x²`. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_square.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Square = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSquare";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| x * x),
        int: Some(|x| x.wrapping_mul(x)),
        complex: Some(|x| complex::mul(x, x)),
        ..Functions::NONE
    };
}
