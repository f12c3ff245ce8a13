//! Acos: `y = acos(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_acos.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Acos = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAcos";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::acos),
        complex: Some(complex::acos),
        ..Functions::NONE
    };
}
