//! Elu: `y = x` above zero, else `e^x − 1`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Elu = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexElu";
    const FUNCTIONS: Functions =
        Functions { float: Some(|x| if x < 0.0 { libm::expm1(x) } else { x }), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Elu;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Elu>(&[
            (2.0, 2.0),
            (0.0, 0.0),
            (-1.0, -0.632_120_558_828_557_7),
            (INF, INF),
            (-INF, -1.0),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Elu>(1);
        refuses::<Elu>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Elu>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
