//! RsqrtGrad: `dx = −dy · ȳ³ / 2`, with the conjugate of `y`, zero where `dy` is zero; inputs `y`, `dy`.
//! Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_rsqrt.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type RsqrtGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRsqrtGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| if dy == 0.0 { 0.0 } else { -0.5 * dy * y * y * y }),
        complex: Some(|y, dy| {
            let y = complex::conj(y);
            let half = complex::complex(-0.5 * dy.re, -0.5 * dy.im);
            complex::mul(complex::mul(half, y), complex::mul(y, y))
        }),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::RsqrtGrad;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<RsqrtGrad>(&[(2.0, 3.0, -12.0), (-0.5, 4.0, 0.25), (INF, 0.0, 0.0), (NAN, 1.0, NAN)]);
        complex_gradients::<RsqrtGrad>(&[
            ((0.0, 1.0), (2.0, 0.0), (0.0, -1.0)),
            ((1.0, 1.0), (2.0, 0.0), (2.0, 2.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<RsqrtGrad>(2);
        refuses_pair::<RsqrtGrad>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<RsqrtGrad>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
