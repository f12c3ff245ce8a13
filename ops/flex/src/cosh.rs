//! Cosh: `y = cosh(x)`. Reals, complex numbers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_cosh.cc.

use crate::kit::complex;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Cosh = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexCosh";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::cosh), complex: Some(complex::cosh), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Cosh;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Cosh>(&[
            (0.0, 1.0),
            (1.0, 1.543_080_634_815_243_7),
            (-2.0, 3.762_195_691_083_631_4),
            (-INF, INF),
            (NAN, NAN),
        ]);
        complexes::<Cosh>(&[
            ((0.5, 0.0), (1.127_625_965_206_380_7, 0.0)),
            ((1.0, 1.0), (0.833_730_025_131_149_1, 0.988_897_705_762_865_1)),
            ((-2.0, 0.5), (3.301_637_332_914_094_4, -1.738_809_504_474_316_4)),
            ((INF, 0.0), (INF, 0.0)),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Cosh>(1);
        refuses::<Cosh>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Cosh>(
            &[Tensor::strings(&[], &["a"])],
            "input 'in0' is STRING, which this op does not serve",
        );
    }
}
