//! Floor: `y = ⌊x⌋`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_floor.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Floor = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexFloor";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::floor),
        ..Functions::NONE
    };
}
