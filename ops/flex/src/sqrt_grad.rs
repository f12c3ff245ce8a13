//! SqrtGrad: `dx = dy / (2 ȳ)`, with the conjugate of `y`, zero where `dy` is zero; inputs `y`, `dy`. Reals,
//! complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_sqrt.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type SqrtGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSqrtGrad";
    const FUNCTIONS: Functions = Functions {
        float: Some(|y, dy| if dy == 0.0 { 0.0 } else { 0.5 * dy / y }),
        complex: Some(|y, dy| {
            let half = complex::complex(0.5 * dy.re, 0.5 * dy.im);
            if half == complex::real(0.0) { half } else { complex::div(half, complex::conj(y)) }
        }),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::SqrtGrad;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<SqrtGrad>(&[
            (2.0, 3.0, 0.75),
            (-0.5, 4.0, -4.0),
            (0.0, 0.0, 0.0),
            (0.0, 1.0, INF),
            (NAN, 1.0, NAN),
        ]);
        complex_gradients::<SqrtGrad>(&[
            ((0.0, 1.0), (2.0, 0.0), (0.0, 1.0)),
            ((1.0, 1.0), (2.0, 0.0), (0.5, 0.5)),
            ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<SqrtGrad>(2);
        refuses_pair::<SqrtGrad>(Tensor::i32(&[], &[1]), "inputs are INT32, which this op does not serve");
        refuses_pair::<SqrtGrad>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}
