//! SoftplusGrad: `dx = dy / (1 + e^−x)`; inputs `dy`, `x`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softplus_op.cc.

use crate::kit::functions;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type SoftplusGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftplusGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, x| dy * functions::sigmoid(x)),
        ..Functions::NONE
    };
}
