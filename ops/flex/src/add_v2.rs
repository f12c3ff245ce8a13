//! AddV2: `y = a + b`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_add_1.cc.

use crate::kit::complex;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type AddV2 = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAddV2";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a + b),
        int: Some(|a, b, _| Some(a.wrapping_add(b))),
        complex: Some(complex::add),
        ..Functions::NONE
    };
}
