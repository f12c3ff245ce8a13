//! Atan2: the angle of the point `(b, a)`. Inputs broadcast. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_atan2.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Atan2 = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAtan2";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::atan2),
        ..Functions::NONE
    };
}
