//! Erfc: `y = 1 − erf(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_erfc.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Erfc = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexErfc";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::erfc),
        ..Functions::NONE
    };
}
