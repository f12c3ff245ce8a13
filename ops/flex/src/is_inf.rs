//! IsInf: whether `x` is infinite. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_isinf.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type IsInf = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexIsInf";
    const FUNCTIONS: Functions = Functions { test: Some(f64::is_infinite), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::IsInf;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        tests::<IsInf>(&[(1.0, false), (0.0, false), (INF, true), (-INF, true), (NAN, false)]);
    }

    #[test]
    fn refusals() {
        takes::<IsInf>(1);
        refuses::<IsInf>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<IsInf>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
