//! Angle: the angle of a complex number. Complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_arg.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Angle = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAngle";
    const FUNCTIONS: Functions = Functions {
        part: Some(complex::arg),
        ..Functions::NONE
    };
}
