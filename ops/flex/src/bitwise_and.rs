//! BitwiseAnd: `y = a ∧ b`, bit by bit. Inputs broadcast. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_bitwise_and.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type BitwiseAnd = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexBitwiseAnd";
    const FUNCTIONS: Functions = Functions {
        int: Some(|a, b, _| Some(a & b)),
        ..Functions::NONE
    };
}
