//! Minimum: `y = min(a, b)`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_minimum.cc.

use crate::kit::functions;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Minimum = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMinimum";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::minimum),
        int: Some(|a, b, _| Some(a.min(b))),
        ..Functions::NONE
    };
}
