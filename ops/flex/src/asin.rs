//! Asin: `y = asin(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_asin.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Asin = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAsin";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::asin),
        complex: Some(complex::asin),
        ..Functions::NONE
    };
}
