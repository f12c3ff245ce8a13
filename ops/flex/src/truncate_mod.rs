//! TruncateMod: the remainder with the sign of `a`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_mod.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type TruncateMod = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTruncateMod";
    const FUNCTIONS: Functions =
        Functions { float: Some(libm::fmod), int: Some(|a, b, _| a.checked_rem(b)), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::TruncateMod;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<TruncateMod>(&[
            (7.0, 3.0, 1.0),
            (-7.0, 3.0, -1.0),
            (7.0, -3.0, 1.0),
            (-7.0, -3.0, -1.0),
            (6.0, 3.0, 0.0),
            (5.5, 2.0, 1.5),
            (1.0, 0.0, NAN),
            (NAN, 1.0, NAN),
        ]);
        whole_pairs::<TruncateMod>(&[(7, 3, 1), (6, 3, 0)]);
        exact_pairs::<TruncateMod, i32>(&[(-7, 3, -1), (7, -3, 1), (-6, 3, 0)]);
    }

    #[test]
    fn refusals() {
        takes::<TruncateMod>(2);
        refuses_pair::<TruncateMod>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<TruncateMod>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
        let (seven, zero) = (Tensor::i32(&[1], &[7]), Tensor::i32(&[1], &[0]));
        refuses::<TruncateMod>(&[seven, zero], "the integer 7 is divided by zero");
    }
}
