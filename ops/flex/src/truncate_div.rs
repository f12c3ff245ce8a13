//! TruncateDiv: `y = a / b`, towards zero. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_div.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type TruncateDiv = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexTruncateDiv";
    const FUNCTIONS: Functions = Functions {
        stepwise: Some(|a, b, round| libm::trunc(round(a / b))),
        int: Some(|a, b, _| a.checked_div(b)),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::TruncateDiv;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<TruncateDiv>(&[
            (7.0, 2.0, 3.0),
            (-7.0, 2.0, -3.0),
            (7.0, -2.0, -3.0),
            (-6.0, 3.0, -2.0),
            (1.0, 0.0, INF),
            (0.0, 0.0, NAN),
        ]);
        whole_pairs::<TruncateDiv>(&[(7, 2, 3), (6, 3, 2)]);
        exact_pairs::<TruncateDiv, i8>(&[(-7, 2, -3), (7, -2, -3), (-7, -2, 3)]);
    }

    #[test]
    fn refusals() {
        takes::<TruncateDiv>(2);
        refuses_pair::<TruncateDiv>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<TruncateDiv>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
        let (seven, zero) = (Tensor::i32(&[1], &[7]), Tensor::i32(&[1], &[0]));
        refuses::<TruncateDiv>(&[seven, zero], "the integer 7 is divided by zero");
    }
}
