//! Real: the real part. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_real.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Real = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexReal";
    const FUNCTIONS: Functions = Functions {
        part: Some(|x| x.re),
        ..Functions::NONE
    };
}
