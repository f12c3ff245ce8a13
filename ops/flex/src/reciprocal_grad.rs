//! ReciprocalGrad: `dx = −dy · ȳ²`, with the conjugate of `y`, zero where `dy` is zero; inputs `y`, `dy`.
//! Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_inverse.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type ReciprocalGrad = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexReciprocalGrad";
    const FUNCTIONS: Functions = Functions {
        stepwise: Some(|y, dy, round| if dy == 0.0 { 0.0 } else { -dy * round(y * y) }),
        complex: Some(|y, dy| {
            let y = complex::conj(y);
            complex::mul(complex::mul(complex::complex(-dy.re, -dy.im), y), y)
        }),
        ..Functions::NONE
    };
    const BROADCASTS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::ReciprocalGrad;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        gradients::<ReciprocalGrad>(&[
            (2.0, 3.0, -12.0),
            (-0.5, 4.0, -1.0),
            (INF, 0.0, 0.0),
            (NAN, 1.0, NAN),
        ]);
        complex_gradients::<ReciprocalGrad>(&[
            ((0.0, 1.0), (1.0, 0.0), (1.0, 0.0)),
            ((1.0, 1.0), (0.0, 1.0), (-2.0, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<ReciprocalGrad>(2);
        refuses_pair::<ReciprocalGrad>(
            Tensor::i32(&[], &[1]),
            "inputs are INT32, which this op does not serve",
        );
        refuses_pair::<ReciprocalGrad>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
