//! Sub: `y = a − b`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sub.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Sub = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSub";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a - b),
        int: Some(|a, b, _| Some(a.wrapping_sub(b))),
        complex: Some(complex::sub),
        ..Functions::NONE
    };
}
