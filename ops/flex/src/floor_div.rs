//! FloorDiv: `y = ⌊a / b⌋`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_floor_div.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type FloorDiv = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexFloorDiv";
    const FUNCTIONS: Functions = Functions {
        stepwise: Some(|a, b, round| libm::floor(round(a / b))),
        int: Some(|a, b, _| {
            let quotient = a.checked_div(b)?;
            Some(quotient - i128::from(a % b != 0 && (a < 0) != (b < 0)))
        }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::FloorDiv;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<FloorDiv>(&[
            (7.0, 2.0, 3.0),
            (-7.0, 2.0, -4.0),
            (7.0, -2.0, -4.0),
            (-6.0, 3.0, -2.0),
            (1.0, 0.0, INF),
            (0.0, 0.0, NAN),
        ]);
        whole_pairs::<FloorDiv>(&[(7, 2, 3), (6, 3, 2)]);
        exact_pairs::<FloorDiv, i8>(&[(-7, 2, -4), (7, -2, -4), (-7, -2, 3), (-6, 2, -3)]);
    }

    #[test]
    fn refusals() {
        takes::<FloorDiv>(2);
        refuses_pair::<FloorDiv>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<FloorDiv>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        let (seven, zero) = (Tensor::i32(&[1], &[7]), Tensor::i32(&[1], &[0]));
        refuses::<FloorDiv>(&[seven, zero], "the integer 7 is divided by zero");
    }
}
