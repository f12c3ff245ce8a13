//! IsInf: whether `x` is infinite. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_isinf.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type IsInf = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexIsInf";
    const FUNCTIONS: Functions = Functions {
        test: Some(f64::is_infinite),
        ..Functions::NONE
    };
}
