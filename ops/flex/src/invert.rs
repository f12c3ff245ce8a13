//! Invert: `y = ¬x`, bit by bit. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_invert.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Invert = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexInvert";
    const FUNCTIONS: Functions = Functions {
        int: Some(|x| !x),
        ..Functions::NONE
    };
}
