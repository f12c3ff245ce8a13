//! LogicalOr: `y = a ∨ b`. Inputs broadcast. BOOL. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_logical_or.cc.

use crate::kit::binary::{Function, Functions, Binary};

/// The op.
pub type LogicalOr = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLogicalOr";
    const FUNCTIONS: Functions = Functions {
        bool: Some(|a, b| a || b),
        ..Functions::NONE
    };
}
