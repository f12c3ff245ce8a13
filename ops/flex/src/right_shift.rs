//! RightShift: `y = ⌊a / 2^b⌋`; shift counts are clamped to those that the type has. Inputs broadcast. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_right_shift.cc.

use crate::kit::functions;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type RightShift = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRightShift";
    const FUNCTIONS: Functions = Functions {
        int: Some(|a, b, width| Some(a >> functions::shift(b, width))),
        ..Functions::NONE
    };
}
