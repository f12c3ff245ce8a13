//! Rint: `y` is the nearest integer, the even one of two. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_rint.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Rint = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRint";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::rint),
        ..Functions::NONE
    };
}
