//! BitwiseOr: `y = a ∨ b`, bit by bit. Inputs broadcast. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_bitwise_or.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type BitwiseOr = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexBitwiseOr";
    const FUNCTIONS: Functions = Functions {
        int: Some(|a, b, _| Some(a | b)),
        ..Functions::NONE
    };
}
