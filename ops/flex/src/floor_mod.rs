//! FloorMod: the remainder with the sign of `b`. Inputs broadcast. Reals, integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_floor_mod.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::functions;

/// The op.
pub type FloorMod = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexFloorMod";
    const FUNCTIONS: Functions = Functions {
        float: Some(functions::floor_mod),
        int: Some(|a, b, _| {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }),
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::FloorMod;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<FloorMod>(&[
            (7.0, 3.0, 1.0),
            (-7.0, 3.0, 2.0),
            (7.0, -3.0, -2.0),
            (-7.0, -3.0, -1.0),
            (6.0, 3.0, 0.0),
            (5.5, 2.0, 1.5),
            (1.0, 0.0, NAN),
            (NAN, 1.0, NAN),
        ]);
        whole_pairs::<FloorMod>(&[(7, 3, 1), (6, 3, 0)]);
        exact_pairs::<FloorMod, i8>(&[(-7, 3, 2), (7, -3, -2), (-7, -3, -1), (-6, 3, 0)]);
    }

    #[test]
    fn refusals() {
        takes::<FloorMod>(2);
        refuses_pair::<FloorMod>(
            complex_of(C64, &[], &[(1.0, 0.0)]),
            "inputs are COMPLEX64, which this op does not serve",
        );
        refuses_pair::<FloorMod>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
        let (seven, zero) = (Tensor::i32(&[1], &[7]), Tensor::i32(&[1], &[0]));
        refuses::<FloorMod>(&[seven, zero], "the integer 7 is divided by zero");
    }
}
