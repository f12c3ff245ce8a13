//! Abs: `y = |x|`. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_abs.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Abs = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAbs";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::fabs), int: Some(|x| x.wrapping_abs()), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Abs;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Abs>(&[(-1.5, 1.5), (2.0, 2.0), (0.0, 0.0), (-INF, INF), (NAN, NAN)]);
        wholes::<Abs>(&[(-5, 5), (7, 7), (0, 0)]);
        exact::<Abs, i8>(&[(-128, -128), (-127, 127)]);
    }

    #[test]
    fn refusals() {
        takes::<Abs>(1);
        refuses::<Abs>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        refuses::<Abs>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
    }
}
