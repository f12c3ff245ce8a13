//! Ceil: `y = ⌈x⌉`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_ceil.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Ceil = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexCeil";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::ceil),
        ..Functions::NONE
    };
}
