//! Rsqrt: `y = 1 / √x`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_rsqrt.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Rsqrt = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRsqrt";
    const FUNCTIONS: Functions =
        Functions { float: Some(|x| 1.0 / libm::sqrt(x)), complex: Some(complex::rsqrt), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Rsqrt;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::FRAC_1_SQRT_2;

    #[test]
    fn values() {
        reals::<Rsqrt>(&[
            (4.0, 0.5),
            (2.0, FRAC_1_SQRT_2),
            (0.25, 2.0),
            (0.0, INF),
            (-1.0, NAN),
            (INF, 0.0),
            (NAN, NAN),
        ]);
        complexes::<Rsqrt>(&[
            ((4.0, 0.0), (0.5, 0.0)),
            ((-4.0, 0.0), (0.0, -0.5)),
            ((3.0, 4.0), (0.4, -0.2)),
            ((3.0, -4.0), (0.4, 0.2)),
            ((0.0, 0.0), (INF, NAN)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Rsqrt>(1);
        refuses::<Rsqrt>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Rsqrt>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
