//! Exp: `y = e^x`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_exp.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Exp = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexExp";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::exp), complex: Some(complex::exp), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Exp;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::E;

    #[test]
    fn values() {
        reals::<Exp>(&[
            (0.0, 1.0),
            (1.0, E),
            (-2.0, 0.135_335_283_236_612_7),
            (-INF, 0.0),
            (INF, INF),
            (NAN, NAN),
        ]);
        complexes::<Exp>(&[
            ((0.0, 0.0), (1.0, 0.0)),
            ((1.0, 1.0), (1.468_693_939_915_885_1, 2.287_355_287_178_842_3)),
            ((-2.0, -0.5), (0.118_767_884_576_945_79, -0.064_883_191_057_865_41)),
            ((INF, 0.0), (INF, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Exp>(1);
        refuses::<Exp>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Exp>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
