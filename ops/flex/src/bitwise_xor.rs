//! BitwiseXor: `y = a ⊕ b`, bit by bit. Inputs broadcast. Integers. May run in place.
//! Defined by: tensorflow/core/kernels/cwise_op_bitwise_xor.cc.

use crate::kit::binary::{Binary, Function, Functions};

/// The op.
pub type BitwiseXor = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexBitwiseXor";
    const FUNCTIONS: Functions = Functions { int: Some(|a, b, _| Some(a ^ b)), ..Functions::NONE };
}

#[cfg(test)]
mod tests {
    use super::BitwiseXor;
    use crate::kit::testing::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        whole_pairs::<BitwiseXor>(&[(12, 10, 6), (5, 0, 5), (127, 85, 42)]);
        exact_pairs::<BitwiseXor, i8>(&[(-1, 6, -7), (-128, 127, -1)]);
        exact_pairs::<BitwiseXor, u64>(&[(9223372036854775808, 9223372036854775809, 1)]);
    }

    #[test]
    fn refusals() {
        takes::<BitwiseXor>(2);
        refuses_pair::<BitwiseXor>(
            Tensor::f32(&[], &[1.0]),
            "inputs are FLOAT32, which this op does not serve",
        );
        refuses_pair::<BitwiseXor>(
            Tensor::bool(&[], &[true]),
            "inputs are BOOL, which this op does not serve",
        );
    }
}
