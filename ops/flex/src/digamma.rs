//! Digamma: `y = Γ′(x) / Γ(x)`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_digamma.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Digamma = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexDigamma";
    const FUNCTIONS: Functions = Functions { float: Some(functions::digamma), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Digamma;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Digamma>(&[
            (1.0, -0.577_215_664_901_532_9),
            (0.5, -1.963_510_026_021_423_5),
            (-1.5, 0.703_156_640_645_243_2),
            (0.0, NAN),
            (-3.0, NAN),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Digamma>(1);
        refuses::<Digamma>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Digamma>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
