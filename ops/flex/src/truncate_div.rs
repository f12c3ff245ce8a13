//! TruncateDiv: `y = a / b`, towards zero. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_div.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type TruncateDiv = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTruncateDiv";
    const FUNCTIONS: Functions = Functions {
        stepwise: Some(|a, b, round| libm::trunc(round(a / b))),
        int: Some(|a, b, _| a.checked_div(b)),
        ..Functions::NONE
    };
}
