//! FloorMod: the remainder with the sign of `b`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_floor_mod.cc.

use crate::kit::functions;
use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type FloorMod = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexFloorMod";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::floor_mod),
        int: Some(|a, b, _| {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }),
        ..Functions::NONE
    };
}
