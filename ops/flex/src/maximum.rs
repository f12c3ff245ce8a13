//! Maximum: `y = max(a, b)`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_maximum.cc.

use crate::kit::functions;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Maximum = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMaximum";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::maximum),
        int: Some(|a, b, _| Some(a.max(b))),
        ..Functions::NONE
    };
}
