//! Mod: the remainder with the sign of `a`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_mod.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type Mod = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMod";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::fmod),
        int: Some(|a, b, _| a.checked_rem(b)),
        ..Functions::NONE
    };
}
