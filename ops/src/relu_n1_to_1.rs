//! RELU_N1_TO_1: `y = clamp(x, -1, 1)`. f32; i8, u8 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::relu::{Clamp, Member};

/// A prepared `RELU_N1_TO_1` node.
pub type ReluN1To1 = Clamp<Range>;

/// Clamps to `[-1, 1]`.
pub struct Range;

impl Member for Range {
    const CODE: OpCode = OpCode::Builtin(op::RELU_N1_TO_1);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);
    const RANGE: Limits<f32> = Limits { min: -1.0, max: 1.0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::relu::tests::expect;

    #[test]
    fn values() {
        expect::<ReluN1To1>([-1.0, -0.5, 0.0, 0.5, 1.0, 1.0], [0, 2, 4, 6, 8], [6, 7, 8]);
    }
}
