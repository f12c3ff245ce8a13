//! Maximum: `y = max(a, b)`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_maximum.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::functions;

/// The op.
pub type Maximum = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexMaximum";
    const FUNCTIONS: Functions =
        Functions { float: Some(functions::maximum), int: Some(|a, b, _| Some(a.max(b))), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Maximum;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Maximum>(&[
            (1.0, 2.0, 2.0),
            (-1.0, -2.0, -1.0),
            (INF, 1.0, INF),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ]);
        whole_pairs::<Maximum>(&[(7, 5, 7), (3, 3, 3)]);
        exact_pairs::<Maximum, i8>(&[(-128, 127, 127), (-3, -2, -2)]);
    }

    #[test]
    fn refusals() {
        takes::<Maximum>(2);
        refuses_pair::<Maximum>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<Maximum>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}
