//! GreaterEqual: whether `a ≥ b`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_greater_equal.cc.

use crate::kit::binary::{Comparison, Predicate, Predicates};

/// The op.
pub type GreaterEqual = Comparison<Definition>;

/// What it tells.
pub enum Definition {}

impl Predicate for Definition {
    const NAME: &'static str = "FlexGreaterEqual";
    const PREDICATES: Predicates = Predicates { float: |a, b| a >= b, int: |a, b| a >= b, equality: None };
}

#[cfg(test)]
mod tests {
    use super::GreaterEqual;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        comparisons::<GreaterEqual>(&[
            (1.0, 2.0, false),
            (2.0, 1.0, true),
            (3.0, 3.0, true),
            (-1.0, 0.0, false),
            (0.0, -0.0, true),
            (-INF, INF, false),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<GreaterEqual>(2);
        refuses_pair::<GreaterEqual>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<GreaterEqual>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
        refuses_pair::<GreaterEqual>(
            Tensor::strings(&[], &["a"]),
            "inputs are STRING, which this op does not serve",
        );
    }
}
