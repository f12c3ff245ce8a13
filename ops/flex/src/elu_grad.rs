//! EluGrad: `dx = dy`, times `y + 1` where `y` is below zero; inputs `dy`, `y`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type EluGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexEluGrad";
    const FUNCTIONS: Functions =
        Functions { float: Some(|dy, y| if y < 0.0 { dy * (y + 1.0) } else { dy }), ..Functions::NONE };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::EluGrad;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<EluGrad>(&[(2.0, 1.0, 2.0), (2.0, -0.5, 1.0), (3.0, 0.0, 3.0), (1.0, NAN, 1.0)]);
    }

    #[test]
    fn refusals() {
        takes::<EluGrad>(2);
        refuses_pair::<EluGrad>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<EluGrad>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
    }
}
