//! BitwiseAnd: `y = a ∧ b`, bit by bit. Inputs broadcast. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_bitwise_and.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type BitwiseAnd = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexBitwiseAnd";
    const FUNCTIONS: Functions = Functions { int: Some(|a, b, _| Some(a & b)), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::BitwiseAnd;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        whole_pairs::<BitwiseAnd>(&[(12, 10, 8), (5, 0, 0), (127, 85, 85)]);
        exact_pairs::<BitwiseAnd, i8>(&[(-1, 6, 6), (-128, 127, 0)]);
        exact_pairs::<BitwiseAnd, u64>(&[(9223372036854775808, 9223372036854775809, 9223372036854775808)]);
    }

    #[test]
    fn refusals() {
        takes::<BitwiseAnd>(2);
        refuses_pair::<BitwiseAnd>(
            Tensor::f32(&[], &[1.0]),
            "inputs are FLOAT32, which this op does not serve",
        );
        refuses_pair::<BitwiseAnd>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
