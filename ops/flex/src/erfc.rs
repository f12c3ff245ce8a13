//! Erfc: `y = 1 − erf(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_erfc.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Erfc = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexErfc";
    const FUNCTIONS: Functions = Functions { float: Some(libm::erfc), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Erfc;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Erfc>(&[
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (-2.0, 1.995_322_265_018_952_8),
            (INF, 0.0),
            (-INF, 2.0),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Erfc>(1);
        refuses::<Erfc>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Erfc>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
