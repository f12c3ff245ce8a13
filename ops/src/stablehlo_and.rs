//! STABLEHLO_AND: `y = a & b` of two tensors of one shape. Integers, bit by bit, and bool. Supports in-place operation.
//! Defined by: tflite/kernels/stablehlo_and.cc.

use arenite_abi::prelude::*;

use crate::kit::stablehlo::{Elementwise, Member, Number, WHOLE};

/// A prepared `STABLEHLO_AND` node.
pub type StablehloAnd = Elementwise<BitwiseAnd>;

/// The function `y = a & b`.
pub struct BitwiseAnd;

impl Member for BitwiseAnd {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_AND);
    const TYPES: ElementTypes = WHOLE;

    fn combine<T: Number>(a: T, b: T) -> T {
        a.common_bits(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::stablehlo::tests::*;

    #[test]
    fn values() {
        expect_integers::<StablehloAnd>(4, 0);
        expect::<StablehloAnd, u8>(&[0xf0, 255], &[0x3c, 1], &[0x30, 1]);
        expect::<StablehloAnd, u16>(&[0xf0f0], &[0xff00], &[0xf000]);
        expect::<StablehloAnd, u32>(&[!0], &[12], &[12]);
        expect::<StablehloAnd, u64>(&[!0], &[1 << 63], &[1 << 63]);
        expect_truth::<StablehloAnd>([0, 0, 0, 1]);
    }
}
