//! Lgamma: `y = log |Γ(x)|`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_lgamma.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Lgamma = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLgamma";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::lgamma),
        ..Functions::NONE
    };
}
