//! Sigmoid: `y = 1 / (1 + e^−x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sigmoid.cc.

use crate::kit::{complex, functions};
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Sigmoid = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSigmoid";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::sigmoid),
        complex: Some(|x| {
            let one = complex::real(1.0);
            complex::div(one, complex::add(one, complex::exp(complex::complex(-x.re, -x.im))))
        }),
        ..Functions::NONE
    };
}
