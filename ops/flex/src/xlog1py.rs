//! Xlog1py: `y = a log(1 + b)`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_xlog1py.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Xlog1py = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexXlog1py";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if a == 0.0 { 0.0 } else { a * libm::log1p(b) }),
        complex: Some(|a, b| {
            let log = complex::log(complex::add(complex::real(1.0), b));
            if a == complex::real(0.0) { a } else { complex::mul(a, log) }
        }),
        ..Functions::NONE
    };
}
