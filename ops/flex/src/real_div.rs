//! RealDiv: `y = a / b`. Inputs broadcast. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_div.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type RealDiv = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRealDiv";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a / b),
        complex: Some(complex::div),
        ..Functions::NONE
    };
}
