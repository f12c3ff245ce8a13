//! Minimum: `y = min(a, b)`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_minimum.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::functions;

/// The op.
pub type Minimum = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMinimum";
    const FUNCTIONS: Functions =
        Functions { float: Some(functions::minimum), int: Some(|a, b, _| Some(a.min(b))), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Minimum;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Minimum>(&[
            (1.0, 2.0, 1.0),
            (-1.0, -2.0, -2.0),
            (-INF, 1.0, -INF),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ]);
        whole_pairs::<Minimum>(&[(7, 5, 5), (3, 3, 3)]);
        exact_pairs::<Minimum, i8>(&[(-128, 127, -128), (-3, -2, -3)]);
    }

    #[test]
    fn refusals() {
        takes::<Minimum>(2);
        refuses_pair::<Minimum>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<Minimum>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}
