//! Conj: the conjugate. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_conj.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Conj = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexConj";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| x),
        complex: Some(complex::conj),
        ..Functions::NONE
    };
}
