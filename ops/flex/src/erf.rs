//! Erf: `y = erf(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_erf.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Erf = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexErf";
    const FUNCTIONS: Functions = Functions { float: Some(libm::erf), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Erf;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Erf>(&[
            (0.0, 0.0),
            (0.5, 0.520_499_877_813_046_5),
            (-2.0, -0.995_322_265_018_952_7),
            (INF, 1.0),
            (-INF, -1.0),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Erf>(1);
        refuses::<Erf>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Erf>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
