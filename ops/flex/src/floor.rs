//! Floor: `y = ⌊x⌋`. Reals. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_floor.cc.

use crate::kit::unary::{Function, Functions, Unary};

/// The op.
pub type Floor = Unary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexFloor";
    const FUNCTIONS: Functions = Functions { float: Some(libm::floor), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::Floor;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        reals::<Floor>(&[(1.25, 1.0), (-1.25, -2.0), (3.0, 3.0), (-0.5, -1.0), (-INF, -INF), (NAN, NAN)]);
    }

    #[test]
    fn refusals() {
        takes::<Floor>(1);
        refuses::<Floor>(&[Tensor::i32(&[], &[1])], "input 'in0' is INT32, which this op does not serve");
        refuses::<Floor>(
            &[complex_of(C64, &[], &[(1.0, 0.0)])],
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
    }
}
