//! IsFinite: whether `x` is finite. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_isfinite.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type IsFinite = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexIsFinite";
    const FUNCTIONS: Functions = Functions { test: Some(f64::is_finite), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::IsFinite;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        tests::<IsFinite>(&[(1.0, true), (0.0, true), (INF, false), (-INF, false), (NAN, false)]);
    }

    #[test]
    fn refusals() {
        takes::<IsFinite>(1);
        refuses::<IsFinite>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<IsFinite>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
