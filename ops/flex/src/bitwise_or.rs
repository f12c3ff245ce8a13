//! BitwiseOr: `y = a ∨ b`, bit by bit. Inputs broadcast. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_bitwise_or.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type BitwiseOr = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexBitwiseOr";
    const FUNCTIONS: Functions = Functions { int: Some(|a, b, _| Some(a | b)), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::BitwiseOr;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        whole_pairs::<BitwiseOr>(&[(12, 10, 14), (5, 0, 5), (127, 85, 127)]);
        exact_pairs::<BitwiseOr, i8>(&[(-1, 6, -1), (-128, 127, -1)]);
        exact_pairs::<BitwiseOr, u64>(&[(9223372036854775808, 9223372036854775809, 9223372036854775809)]);
    }

    #[test]
    fn refusals() {
        takes::<BitwiseOr>(2);
        refuses_pair::<BitwiseOr>(
            Tensor::f32(&[], &[1.0]),
            "inputs are FLOAT32, which this op does not serve",
        );
        refuses_pair::<BitwiseOr>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
