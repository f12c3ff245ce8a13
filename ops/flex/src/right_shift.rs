//! RightShift: `y = ⌊a / 2^b⌋`; shift counts are clamped to those that the type has. Inputs broadcast.
//! Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_right_shift.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::functions;

/// The op.
pub type RightShift = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexRightShift";
    const FUNCTIONS: Functions =
        Functions { int: Some(|a, b, width| Some(a >> functions::shift(b, width))), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::RightShift;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        whole_pairs::<RightShift>(&[(16, 4, 1), (7, 1, 3), (5, 0, 5)]);
        exact_pairs::<RightShift, i8>(&[(-128, 7, -1), (-7, 1, -4), (64, 99, 0), (3, -1, 3)]);
        exact_pairs::<RightShift, u8>(&[(255, 4, 15), (255, 9, 1)]);
    }

    #[test]
    fn refusals() {
        takes::<RightShift>(2);
        refuses_pair::<RightShift>(
            Tensor::f32(&[], &[1.0]),
            "inputs are FLOAT32, which this op does not serve",
        );
        refuses_pair::<RightShift>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
