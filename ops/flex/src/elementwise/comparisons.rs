//! Comparisons of two numbers.

use crate::family;
use crate::kit::binary::{Comparison, Predicates};

family! { Comparison:
    /// Equal: whether `a = b`. Inputs broadcast. Reals, integers, complex numbers, BOOL, STRING. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_equal.cc.
    Equal "FlexEqual" = Predicates { float: |a, b| a == b, int: |a, b| a == b, equality: Some(true) };

    /// Greater: whether `a > b`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_greater.cc.
    Greater "FlexGreater" = Predicates { float: |a, b| a > b, int: |a, b| a > b, equality: None };

    /// GreaterEqual: whether `a ≥ b`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_greater_equal.cc.
    GreaterEqual "FlexGreaterEqual" = Predicates { float: |a, b| a >= b, int: |a, b| a >= b, equality: None };

    /// Less: whether `a < b`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_less.cc.
    Less "FlexLess" = Predicates { float: |a, b| a < b, int: |a, b| a < b, equality: None };

    /// LessEqual: whether `a ≤ b`. Inputs broadcast. Reals, integers. Supports in-place operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_less_equal.cc.
    LessEqual "FlexLessEqual" = Predicates { float: |a, b| a <= b, int: |a, b| a <= b, equality: None };

    /// NotEqual: whether `a ≠ b`. Inputs broadcast. Reals, integers, complex numbers, BOOL, STRING. Supports in-place
    /// operation.
    /// Defined by: tensorflow/core/kernels/cwise_op_not_equal.cc.
    NotEqual "FlexNotEqual" = Predicates { float: |a, b| a != b, int: |a, b| a != b, equality: Some(false) };
}

#[cfg(test)]
mod tests;
