//! Imag: the imaginary part. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_imag.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Imag = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexImag";
    const FUNCTIONS: Functions = Functions {
        part: Some(|x| x.im),
        ..Functions::NONE
    };
}
