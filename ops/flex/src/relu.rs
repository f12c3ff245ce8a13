//! Relu: `y = max(x, 0)`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Relu = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRelu";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| if x < 0.0 { 0.0 } else { x }),
        int: Some(|x| x.max(0)),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Relu;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Relu>(&[(1.5, 1.5), (-2.0, 0.0), (0.0, 0.0), (INF, INF), (-INF, 0.0), (NAN, NAN)]);
        wholes::<Relu>(&[(5, 5), (-7, 0), (0, 0)]);
        exact::<Relu, u8>(&[(255, 255)]);
    }

    #[test]
    fn refusals() {
        takes::<Relu>(1);
        refuses::<Relu>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        refuses::<Relu>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
    }
}
