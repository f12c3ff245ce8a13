//! Erfinv: `y = erf⁻¹(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_ndtri.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Erfinv = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexErfinv";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::erfinv),
        ..Functions::NONE
    };
}
