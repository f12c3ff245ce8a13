//! IsFinite: whether `x` is finite. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_isfinite.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type IsFinite = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexIsFinite";
    const FUNCTIONS: Functions = Functions {
        test: Some(f64::is_finite),
        ..Functions::NONE
    };
}
