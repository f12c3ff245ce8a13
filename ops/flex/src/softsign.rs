//! Softsign: `y = x / (1 + |x|)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softsign_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Softsign = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftsign";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| x / (1.0 + x.abs())),
        ..Functions::NONE
    };
}
