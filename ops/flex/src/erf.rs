//! Erf: `y = erf(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_erf.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Erf = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexErf";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::erf),
        ..Functions::NONE
    };
}
