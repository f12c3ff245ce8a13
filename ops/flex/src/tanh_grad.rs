//! TanhGrad: `dx = dy (1 − y²)`; inputs `y`, `dy`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_tanh.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type TanhGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTanhGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| dy * (1.0 - y * y)),
        complex: Some(|y, dy| complex::mul(dy, complex::sub(complex::real(1.0), complex::mul(y, y)))),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::TanhGrad;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<TanhGrad>(&[(0.5, 4.0, 3.0), (0.0, 1.0, 1.0), (1.0, 3.0, 0.0), (NAN, 1.0, NAN)]);
        complex_gradients::<TanhGrad>(&[
            ((0.0, 1.0), (1.0, 0.0), (2.0, 0.0)),
            ((1.0, 1.0), (2.0, 0.0), (2.0, -4.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<TanhGrad>(2);
        refuses_pair::<TanhGrad>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<TanhGrad>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}
