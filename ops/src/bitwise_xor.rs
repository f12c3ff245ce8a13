//! BITWISE_XOR: `y = a ⊻ b`, bit by bit, with broadcasting. i8, u8, i16, u16, i32, u32. Supports in-place operation.
//! Defined by: tflite/kernels/bitwise_xor.cc.

use arenite_abi::prelude::*;

use crate::kit::integer_pair::{IntegerPair, Member};

/// A prepared `BITWISE_XOR` node.
pub type BitwiseXor = IntegerPair<BitwiseDifference>;

/// Sets the bits that differ.
pub struct BitwiseDifference;

impl Member for BitwiseDifference {
    const CODE: OpCode = OpCode::Builtin(op::BITWISE_XOR);

    fn value(a: i64, b: i64, _: u32) -> i64 {
        a ^ b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::integer_pair::tests::run;

    #[test]
    fn values() {
        assert_eq!(run::<BitwiseXor, i8>(&[5, -1, -128], &[3, 0, 127]), [6, -1, -1]);
        assert_eq!(run::<BitwiseXor, u8>(&[0xf0, 255], &[0xff, 1]), [0x0f, 254]);
        assert_eq!(run::<BitwiseXor, i16>(&[-2], &[1]), [-1]);
        assert_eq!(run::<BitwiseXor, u16>(&[0x8001], &[1]), [0x8000]);
        assert_eq!(run::<BitwiseXor, i32>(&[i32::MIN, 1], &[-1]), [i32::MAX, -2]);
        assert_eq!(run::<BitwiseXor, u32>(&[u32::MAX], &[1, 2]), [u32::MAX - 1, u32::MAX - 2]);
    }
}
