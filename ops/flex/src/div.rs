//! Div: `y = a / b`, of integers towards zero. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_div.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Div = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexDiv";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a / b),
        int: Some(|a, b, _| a.checked_div(b)),
        complex: Some(complex::div),
        ..Functions::NONE
    };
}
