//! RIGHT_SHIFT: `y = ⌊a / 2ᵇ⌋`, with `b` clamped to the width minus one, with broadcasting. i8, u8, i16, u16, i32, u32.
//! Supports in-place operation.
//! Defined by: tflite/kernels/right_shift.cc.

use arenite_abi::prelude::*;

use crate::kit::integer_pair::{IntegerPair, Member};

/// A prepared `RIGHT_SHIFT` node.
pub type RightShift = IntegerPair<ArithmeticShift>;

/// An arithmetic right shift.
pub struct ArithmeticShift;

impl Member for ArithmeticShift {
    const CODE: OpCode = OpCode::Builtin(op::RIGHT_SHIFT);

    fn value(a: i64, b: i64, bits: u32) -> i64 {
        a >> b.clamp(0, i64::from(bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::integer_pair::tests::run;

    #[test]
    fn values() {
        assert_eq!(run::<RightShift, i8>(&[-5, 5, -128, 100, 7], &[1, 1, 100, 7, -3]), [-3, 2, -1, 0, 7]);
        assert_eq!(run::<RightShift, u8>(&[255, 255, 128], &[1, 200, 7]), [127, 1, 1]);
        assert_eq!(run::<RightShift, i16>(&[-2, 1024], &[15, 3]), [-1, 128]);
        assert_eq!(run::<RightShift, u16>(&[0x8000], &[4, 20]), [0x0800, 1]);
        assert_eq!(run::<RightShift, i32>(&[i32::MIN, 1 << 20], &[31]), [-1, 0]);
        assert_eq!(run::<RightShift, u32>(&[u32::MAX], &[31, u32::MAX]), [1, 1]);
    }
}
