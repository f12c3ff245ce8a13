//! Softsign: `y = x / (1 + |x|)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/softsign_op.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Softsign = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSoftsign";
    const FUNCTIONS: Functions = Functions { float: Some(|x| x / (1.0 + x.abs())), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Softsign;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Softsign>(&[(1.0, 0.5), (-3.0, -0.75), (0.0, 0.0), (INF, NAN), (NAN, NAN)]);
    }

    #[test]
    fn refusals() {
        takes::<Softsign>(1);
        refuses::<Softsign>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Softsign>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
