//! Atanh: `y = atanh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_atanh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Atanh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAtanh";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::atanh), complex: Some(complex::atanh), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Atanh;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::FRAC_PI_2;

    #[test]
    fn values() {
        reals::<Atanh>(&[
            (0.0, 0.0),
            (0.5, 0.549_306_144_334_054_8),
            (-0.5, -0.549_306_144_334_054_8),
            (1.0, INF),
            (2.0, NAN),
            (NAN, NAN),
        ]);
        complexes::<Atanh>(&[
            ((0.5, 0.0), (0.549_306_144_334_054_9, 0.0)),
            ((1.0, 1.0), (0.402_359_478_108_525_07, 1.017_221_967_897_851_4)),
            ((-2.0, 0.5), (-0.500_370_000_052_531_1, 1.421_546_861_001_807)),
            (
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
            ),
            ((2.0, 0.0), (0.549_306_144_334_054_9, FRAC_PI_2)),
            ((-2.0, -0.0), (-0.549_306_144_334_054_9, -FRAC_PI_2)),
            ((INF, 0.0), (0.0, FRAC_PI_2)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Atanh>(1);
        refuses::<Atanh>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Atanh>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
