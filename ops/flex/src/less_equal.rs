//! LessEqual: whether `a ≤ b`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_less_equal.cc.

use crate::kit::binary::{Comparison, Predicate, Predicates};

/// The op.
pub type LessEqual = Comparison<Definition>;

/// What it tells.
pub enum Definition {}

impl Predicate for Definition {
    const NAME: &'static str = "FlexLessEqual";
    const PREDICATES: Predicates = Predicates { float: |a, b| a <= b, int: |a, b| a <= b, equality: None };
}

#[cfg(test)]
mod tests {
    use super::LessEqual;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        comparisons::<LessEqual>(&[
            (1.0, 2.0, true),
            (2.0, 1.0, false),
            (3.0, 3.0, true),
            (-1.0, 0.0, true),
            (0.0, -0.0, true),
            (-INF, INF, true),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<LessEqual>(2);
        refuses_pair::<LessEqual>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<LessEqual>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
        refuses_pair::<LessEqual>(
            Tensor::strings(&[], &["a"]),
            "inputs are STRING, which this op does not serve",
        );
    }
}
