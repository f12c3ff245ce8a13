//! NotEqual: whether `a ≠ b`. Inputs broadcast. Reals, integers, complex numbers, BOOL, STRING. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_not_equal.cc.

use crate::kit::binary::{Comparison, Predicate, Predicates};

/// The op.
pub type NotEqual = Comparison<Definition>;

/// What it tells.
pub enum Definition {}

impl Predicate for Definition {
    const NAME: &'static str = "FlexNotEqual";
    const PREDICATES: Predicates =
        Predicates { float: |a, b| a != b, int: |a, b| a != b, equality: Some(false) };
}
