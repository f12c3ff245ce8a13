//! LeftShift: `y = a · 2^b`; shift counts are clamped to those that the type has. Inputs broadcast. Integers.
//! May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_left_shift.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::functions;

/// The op.
pub type LeftShift = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexLeftShift";
    const FUNCTIONS: Functions =
        Functions { int: Some(|a, b, width| Some(a << functions::shift(b, width))), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::LeftShift;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        whole_pairs::<LeftShift>(&[(1, 4, 16), (3, 1, 6), (5, 0, 5)]);
        exact_pairs::<LeftShift, i8>(&[(1, 7, -128), (1, 99, -128), (3, -1, 3), (-3, 2, -12)]);
        exact_pairs::<LeftShift, u8>(&[(255, 4, 240)]);
        exact_pairs::<LeftShift, i32>(&[(1, 40, -2147483648)]);
    }

    #[test]
    fn refusals() {
        takes::<LeftShift>(2);
        refuses_pair::<LeftShift>(
            Tensor::f32(&[], &[1.0]),
            "inputs are FLOAT32, which this op does not serve",
        );
        refuses_pair::<LeftShift>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
