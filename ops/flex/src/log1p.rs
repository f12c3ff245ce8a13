//! Log1p: `y = log(1 + x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_log1p.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Log1p = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLog1p";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::log1p), complex: Some(complex::log1p), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Log1p;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::{LN_2, PI};

    #[test]
    fn values() {
        reals::<Log1p>(&[
            (0.0, 0.0),
            (1.0, LN_2),
            (-0.5, -LN_2),
            (-1.0, -INF),
            (-2.0, NAN),
            (INF, INF),
            (NAN, NAN),
        ]);
        complexes::<Log1p>(&[
            ((0.0, 0.0), (0.0, 0.0)),
            ((1.0, 1.0), (0.804_718_956_217_050_1, 0.463_647_609_000_806_1)),
            ((-2.0, -0.0), (0.0, -PI)),
            (
                (1.0 / (1u64 << 40) as f64, 1.0 / (1u64 << 40) as f64),
                (1.0 / (1u64 << 40) as f64, 9.094947017721011e-13),
            ),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Log1p>(1);
        refuses::<Log1p>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Log1p>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
