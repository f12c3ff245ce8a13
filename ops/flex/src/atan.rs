//! Atan: `y = atan(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_atan.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Atan = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAtan";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::atan), complex: Some(complex::atan), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Atan;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_3};

    #[test]
    fn values() {
        reals::<Atan>(&[
            (0.0, 0.0),
            (1.0, 0.75 * FRAC_PI_3),
            (-2.0, -1.107_148_717_794_090_4),
            (INF, FRAC_PI_2),
            (NAN, NAN),
        ]);
        complexes::<Atan>(&[
            ((0.5, 0.0), (0.463_647_609_000_806_1, 0.0)),
            ((1.0, 1.0), (1.017_221_967_897_851_4, 0.402_359_478_108_525_07)),
            ((-2.0, 0.5), (-1.126_556_440_834_822_3, 0.096_415_620_202_996_17)),
            (
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
            ),
            ((-0.0, 2.0), (-FRAC_PI_2, 0.549_306_144_334_054_9)),
            ((INF, 0.0), (FRAC_PI_2, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Atan>(1);
        refuses::<Atan>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Atan>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
