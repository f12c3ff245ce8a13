//! GreaterEqual: whether `a ≥ b`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_greater_equal.cc.

use crate::kit::binary::{Comparison, Predicate, Predicates};

/// The op.
pub type GreaterEqual = Comparison<Definition>;

/// What it tells.
pub enum Definition {}

impl Predicate for Definition {
    const NAME: &'static str = "FlexGreaterEqual";
    const PREDICATES: Predicates =
        Predicates { float: |a, b| a >= b, int: |a, b| a >= b, equality: None };
}
