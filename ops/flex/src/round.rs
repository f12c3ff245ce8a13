//! Round: `y` is the nearest integer, the even one of two. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_round.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Round = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRound";
    const FUNCTIONS: Functions = Functions {
        float: Some(libm::rint),
        int: Some(|x| x),
        ..Functions::NONE
    };
}
