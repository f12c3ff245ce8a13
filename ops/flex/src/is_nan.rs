//! IsNan: whether `x` is no number. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_isnan.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type IsNan = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexIsNan";
    const FUNCTIONS: Functions = Functions { test: Some(f64::is_nan), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::IsNan;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        tests::<IsNan>(&[(1.0, false), (0.0, false), (INF, false), (-INF, false), (NAN, true)]);
    }

    #[test]
    fn refusals() {
        takes::<IsNan>(1);
        refuses::<IsNan>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<IsNan>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
