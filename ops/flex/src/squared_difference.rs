//! SquaredDifference: `y = (a − b)²`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_squared_difference.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type SquaredDifference = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSquaredDifference";
    const FUNCTIONS: Functions = Functions {
        stepwise: Some(|a, b, round| {
            let difference = round(a - b);
            difference * difference
        }),
        int: Some(|a, b, _| {
            let difference = a.wrapping_sub(b);
            Some(difference.wrapping_mul(difference))
        }),
        complex: Some(|a, b| {
            let difference = complex::sub(a, b);
            complex::mul(difference, complex::conj(difference))
        }),
        ..Functions::NONE
    };
}
