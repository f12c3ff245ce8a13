//! Acosh: `y = acosh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_acosh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Acosh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAcosh";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::acosh), complex: Some(complex::acosh), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Acosh;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

    #[test]
    fn values() {
        reals::<Acosh>(&[
            (1.0, 0.0),
            (2.0, 1.316_957_896_924_816_6),
            (8.0, 2.768_659_383_313_573_8),
            (0.0, NAN),
            (INF, INF),
            (NAN, NAN),
        ]);
        complexes::<Acosh>(&[
            ((0.5, 0.0), (0.0, FRAC_PI_3)),
            ((1.0, 1.0), (1.061_275_061_905_035_7, 0.904_556_894_302_381_3)),
            ((-2.0, 0.5), (1.361_800_900_857_845_8, 2.863_838_397_032_079)),
            ((2.0, 0.0), (1.316_957_896_924_816_6, 0.0)),
            ((-2.0, -0.0), (1.316_957_896_924_816_6, -PI)),
            ((0.0, INF), (INF, FRAC_PI_2)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Acosh>(1);
        refuses::<Acosh>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Acosh>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
