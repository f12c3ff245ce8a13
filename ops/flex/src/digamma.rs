//! Digamma: `y = Γ′(x) / Γ(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_digamma.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Digamma = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexDigamma";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::digamma),
        ..Functions::NONE
    };
}
