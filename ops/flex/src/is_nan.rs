//! IsNan: whether `x` is no number. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_isnan.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type IsNan = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexIsNan";
    const FUNCTIONS: Functions = Functions {
        test: Some(f64::is_nan),
        ..Functions::NONE
    };
}
