//! Less: whether `a < b`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_less.cc.

use crate::kit::binary::{Comparison, Predicate, Predicates};

/// The op.
pub type Less = Comparison<Definition>;

/// What it tells.
pub enum Definition {}

impl Predicate for Definition {
    const NAME: &'static str = "FlexLess";
    const PREDICATES: Predicates = Predicates { float: |a, b| a < b, int: |a, b| a < b, equality: None };
}

#[cfg(test)]
mod tests {
    use super::Less;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        comparisons::<Less>(&[
            (1.0, 2.0, true),
            (2.0, 1.0, false),
            (3.0, 3.0, false),
            (-1.0, 0.0, true),
            (0.0, -0.0, false),
            (-INF, INF, true),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Less>(2);
        refuses_pair::<Less>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<Less>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        refuses_pair::<Less>(Tensor::strings(&[], &["a"]), "inputs are STRING, which this op does not serve");
    }
}
