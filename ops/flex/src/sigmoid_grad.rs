//! SigmoidGrad: `dx = dy · y (1 − y)`; inputs `y`, `dy`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sigmoid.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type SigmoidGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSigmoidGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| dy * y * (1.0 - y)),
        complex: Some(|y, dy| complex::mul(complex::mul(dy, y), complex::sub(complex::real(1.0), y))),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::SigmoidGrad;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<SigmoidGrad>(&[(0.5, 4.0, 1.0), (0.25, 1.0, 0.1875), (1.0, 3.0, 0.0), (NAN, 1.0, NAN)]);
        complex_gradients::<SigmoidGrad>(&[
            ((0.0, 1.0), (1.0, 0.0), (1.0, 1.0)),
            ((1.0, 1.0), (2.0, 0.0), (2.0, -2.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<SigmoidGrad>(2);
        refuses_pair::<SigmoidGrad>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<SigmoidGrad>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
