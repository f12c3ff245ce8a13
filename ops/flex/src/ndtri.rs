//! Ndtri: `y = Φ⁻¹(x)`, the quantile of the normal distribution. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_ndtri.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Ndtri = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexNdtri";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::ndtri),
        ..Functions::NONE
    };
}
