//! Greater: whether `a > b`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_greater.cc.

use crate::kit::binary::{Comparison, Predicate, Predicates};

/// The op.
pub type Greater = Comparison<Definition>;

/// What it tells.
pub enum Definition {}

impl Predicate for Definition {
    const NAME: &'static str = "FlexGreater";
    const PREDICATES: Predicates = Predicates { float: |a, b| a > b, int: |a, b| a > b, equality: None };
}

#[cfg(test)]
mod tests {
    use super::Greater;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        comparisons::<Greater>(&[
            (1.0, 2.0, false),
            (2.0, 1.0, true),
            (3.0, 3.0, false),
            (-1.0, 0.0, false),
            (0.0, -0.0, false),
            (-INF, INF, false),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Greater>(2);
        refuses_pair::<Greater>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<Greater>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        refuses_pair::<Greater>(
            Tensor::strings(&[], &["a"]),
            "inputs are STRING, which this op does not serve",
        );
    }
}
