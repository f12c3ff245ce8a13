//! Rint: `y` is the nearest integer, the even one of two. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_rint.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Rint = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRint";
    const FUNCTIONS: Functions = Functions { float: Some(libm::rint), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Rint;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Rint>(&[
            (0.5, 0.0),
            (1.5, 2.0),
            (2.5, 2.0),
            (-2.5, -2.0),
            (2.25, 2.0),
            (INF, INF),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Rint>(1);
        refuses::<Rint>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Rint>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
