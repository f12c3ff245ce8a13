//! Asinh: `y = asinh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_asinh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Asinh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAsinh";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::asinh), complex: Some(complex::asinh), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Asinh;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::FRAC_PI_2;

    #[test]
    fn values() {
        reals::<Asinh>(&[
            (0.0, 0.0),
            (1.0, 0.881_373_587_019_543),
            (-2.0, -1.443_635_475_178_810_3),
            (INF, INF),
            (NAN, NAN),
        ]);
        complexes::<Asinh>(&[
            ((0.5, 0.0), (0.481_211_825_059_603_47, 0.0)),
            ((1.0, 1.0), (1.061_275_061_905_035_7, 0.666_239_432_492_515_3)),
            ((-2.0, 0.5), (-1.465_715_351_947_290_5, 0.221_018_635_622_883_85)),
            (
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
            ),
            ((0.0, 2.0), (1.316_957_896_924_816_6, FRAC_PI_2)),
            ((-0.0, 2.0), (-1.316_957_896_924_816_6, FRAC_PI_2)),
            ((INF, 0.0), (INF, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Asinh>(1);
        refuses::<Asinh>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Asinh>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
