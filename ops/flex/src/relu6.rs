//! Relu6: `y = min(max(x, 0), 6)`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Relu6 = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRelu6";
    const FUNCTIONS: Functions =
        Functions { float: Some(|x| x.clamp(0.0, 6.0)), int: Some(|x| x.clamp(0, 6)), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Relu6;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Relu6>(&[
            (1.5, 1.5),
            (-2.0, 0.0),
            (6.0, 6.0),
            (7.5, 6.0),
            (INF, 6.0),
            (-INF, 0.0),
            (NAN, NAN),
        ]);
        wholes::<Relu6>(&[(5, 5), (-7, 0), (9, 6)]);
        exact::<Relu6, u8>(&[(255, 6)]);
    }

    #[test]
    fn refusals() {
        takes::<Relu6>(1);
        refuses::<Relu6>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        refuses::<Relu6>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
    }
}
