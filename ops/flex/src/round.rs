//! Round: `y` is the nearest integer, the even one of two. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_round.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Round = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRound";
    const FUNCTIONS: Functions = Functions { float: Some(libm::rint), int: Some(|x| x), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Round;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Round>(&[
            (0.5, 0.0),
            (1.5, 2.0),
            (2.5, 2.0),
            (-2.5, -2.0),
            (2.25, 2.0),
            (INF, INF),
            (NAN, NAN),
        ]);
        wholes::<Round>(&[(5, 5), (0, 0)]);
    }

    #[test]
    fn refusals() {
        takes::<Round>(1);
        refuses::<Round>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        refuses::<Round>(&[Tensor::bool(&[], &[true])], "input 'in0' is BOOL, which this op does not serve");
    }
}
