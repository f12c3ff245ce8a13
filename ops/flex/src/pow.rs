//! Pow: `y = a^b`. Inputs broadcast. Reals, integers, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_pow.cc.

use crate::kit::{complex, functions};
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Pow = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexPow";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::pow),
        int: Some(|a, b, _| functions::power(a, b)),
        complex: Some(complex::pow),
        ..Functions::NONE
    };
}
