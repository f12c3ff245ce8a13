//! Softplus: `y = log(1 + e^x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softplus_op.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Softplus = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftplus";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::softplus),
        ..Functions::NONE
    };
}
