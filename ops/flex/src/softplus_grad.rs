//! SoftplusGrad: `dx = dy / (1 + e^−x)`; inputs `dy`, `x`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softplus_op.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::functions;

/// The op.
pub type SoftplusGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftplusGrad";
    const FUNCTIONS: Functions =
        Functions { float: Some(|dy, x| dy * functions::sigmoid(x)), ..Functions::NONE };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::SoftplusGrad;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<SoftplusGrad>(&[
            (2.0, 0.0, 1.0),
            (3.0, INF, 3.0),
            (3.0, -INF, 0.0),
            (1.0, 1.0, 0.731_058_578_630_004_9),
            (1.0, NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<SoftplusGrad>(2);
        refuses_pair::<SoftplusGrad>(
            Tensor::i32(&[], &[1]),
            "inputs are INT32, which this op does not serve",
        );
        refuses_pair::<SoftplusGrad>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
    }
}
