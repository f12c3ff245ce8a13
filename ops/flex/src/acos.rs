//! Acos: `y = acos(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_acos.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Acos = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAcos";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::acos), complex: Some(complex::acos), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Acos;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

    #[test]
    fn values() {
        reals::<Acos>(&[(1.0, 0.0), (0.5, FRAC_PI_3), (0.0, FRAC_PI_2), (-1.0, PI), (2.0, NAN), (NAN, NAN)]);
        complexes::<Acos>(&[
            ((0.5, 0.0), (FRAC_PI_3, -0.0)),
            ((1.0, 1.0), (0.904_556_894_302_381_4, -1.061_275_061_905_035_7)),
            ((-2.0, 0.5), (2.863_838_397_032_079, -1.361_800_900_857_845_8)),
            ((2.0, 0.0), (0.0, -1.316_957_896_924_816_6)),
            ((-2.0, -0.0), (PI, 1.316_957_896_924_816_6)),
            ((INF, 0.0), (0.0, -INF)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Acos>(1);
        refuses::<Acos>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Acos>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
