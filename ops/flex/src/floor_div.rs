//! FloorDiv: `y = ⌊a / b⌋`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_floor_div.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type FloorDiv = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexFloorDiv";
    const FUNCTIONS: Functions = Functions {
        stepwise: Some(|a, b, round| libm::floor(round(a / b))),
        int: Some(|a, b, _| {
            let quotient = a.checked_div(b)?;
            Some(quotient - i128::from(a % b != 0 && (a < 0) != (b < 0)))
        }),
        ..Functions::NONE
    };
}
