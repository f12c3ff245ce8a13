//! LogicalAnd: `y = a ∧ b`. Inputs broadcast. BOOL. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_logical_and.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type LogicalAnd = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLogicalAnd";
    const FUNCTIONS: Functions = Functions {
        bool: Some(|a, b| a && b),
        ..Functions::NONE
    };
}
