//! Abs: `y = |x|`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_abs.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Abs = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAbs";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::fabs),
        int: Some(|x| x.wrapping_abs()),
        ..Functions::NONE
    };
}
