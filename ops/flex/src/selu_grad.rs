//! SeluGrad: the gradient of SELU; inputs `dy`, `y`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::functions;

/// The op.
pub type SeluGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSeluGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|dy, y| {
            dy * if y < 0.0 { y + functions::SELU_SCALE_ALPHA } else { functions::SELU_SCALE }
        }),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::SeluGrad;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<SeluGrad>(&[
            (2.0, 1.0, 2.101_401_974_710_961),
            (2.0, -0.5, 2.516_198_681_694_753_2),
            (3.0, 0.0, 3.152_102_962_066_441_4),
            (1.0, NAN, 1.050_700_987_355_480_5),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<SeluGrad>(2);
        refuses_pair::<SeluGrad>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<SeluGrad>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
    }
}
