//! Xdivy: `y = a / b`, zero where `a` is zero. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_xdivy.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Xdivy = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexXdivy";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| if a == 0.0 { 0.0 } else { a / b }),
        complex: Some(|a, b| {
            if a == complex::real(0.0) { a } else { complex::div(a, b) }
        }),
        ..Functions::NONE
    };
}
