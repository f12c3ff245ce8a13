//! LogicalNot: `y = ¬x`. BOOL. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_logical_not.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type LogicalNot = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLogicalNot";
    const FUNCTIONS: Functions = Functions {
        bool: Some(|x| !x),
        ..Functions::NONE
    };
}
