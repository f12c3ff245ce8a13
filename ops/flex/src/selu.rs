//! Selu: ELU with fixed scales. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/relu_op.cc.

use crate::kit::functions;
use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Selu = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexSelu";
    const FUNCTIONS: Functions = Functions {
        float: Some(|x| {
            if x < 0.0 { functions::SELU_SCALE_ALPHA * libm::expm1(x) } else { functions::SELU_SCALE * x }
        }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Selu;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Selu>(&[
            (2.0, 2.101_401_974_710_961),
            (0.0, 0.0),
            (-1.0, -1.111_330_737_812_562_5),
            (INF, INF),
            (-INF, -1.758_099_340_847_376_6),
            (NAN, NAN),
        ]);
    }

    #[test]
    fn refusals() {
        takes::<Selu>(1);
        refuses::<Selu>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Selu>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
