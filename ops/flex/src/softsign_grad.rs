//! SoftsignGrad: `dx = dy / (1 + |x|)²`; inputs `dy`, `x`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softsign_op.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type SoftsignGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftsignGrad";
    const FUNCTIONS: Functions =
        Functions { float: Some(|dy, x| dy / ((1.0 + x.abs()) * (1.0 + x.abs()))), ..Functions::NONE };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::SoftsignGrad;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<SoftsignGrad>(&[
            (4.0, 1.0, 1.0),
            (9.0, -2.0, 1.0),
            (3.0, 0.0, 3.0),
            (3.0, INF, 0.0),
            (1.0, NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<SoftsignGrad>(2);
        refuses_pair::<SoftsignGrad>(
            Tensor::i32(&[], &[1]),
            "inputs are INT32, which this op does not serve",
        );
        refuses_pair::<SoftsignGrad>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
    }
}
