//! Neg: `y = −x`. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_neg.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Neg = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexNeg";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| -x),
        int: Some(|x| x.wrapping_neg()),
        complex: Some(|x| complex::complex(-x.re, -x.im)),
        ..Functions::NONE
    };
}
