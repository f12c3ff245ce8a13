//! Asin: `y = asin(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_asin.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Asin = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAsin";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::asin), complex: Some(complex::asin), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Asin;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_6};

    #[test]
    fn values() {
        reals::<Asin>(&[
            (0.0, 0.0),
            (0.5, FRAC_PI_6),
            (1.0, FRAC_PI_2),
            (-1.0, -FRAC_PI_2),
            (2.0, NAN),
            (NAN, NAN),
        ]);
        complexes::<Asin>(&[
            ((0.5, 0.0), (FRAC_PI_6, 0.0)),
            ((1.0, 1.0), (0.666_239_432_492_515_3, 1.061_275_061_905_035_7)),
            ((-2.0, 0.5), (-1.293_042_070_237_182_5, 1.361_800_900_857_845_8)),
            (
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
            ),
            ((2.0, 0.0), (FRAC_PI_2, 1.316_957_896_924_816_6)),
            ((-2.0, -0.0), (-FRAC_PI_2, -1.316_957_896_924_816_6)),
            ((0.0, INF), (0.0, INF)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Asin>(1);
        refuses::<Asin>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Asin>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
