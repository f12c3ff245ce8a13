//! Log: `y = log(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_log.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Log = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLog";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::log), complex: Some(complex::log), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Log;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_3, LN_2, PI};

    #[test]
    fn values() {
        reals::<Log>(&[
            (1.0, 0.0),
            (2.0, LN_2),
            (8.0, 3.0 * LN_2),
            (0.0, -INF),
            (-1.0, NAN),
            (INF, INF),
            (NAN, NAN),
        ]);
        complexes::<Log>(&[
            ((1.0, 1.0), (0.346_573_590_279_972_64, 0.75 * FRAC_PI_3)),
            ((-1.0, 0.0), (0.0, PI)),
            ((-1.0, -0.0), (0.0, -PI)),
            ((0.0, 2.0), (LN_2, FRAC_PI_2)),
            ((0.0, 0.0), (-INF, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Log>(1);
        refuses::<Log>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Log>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
