//! RELU_0_TO_1: `y = clamp(x, 0, 1)`. f32; i8, u8 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::relu::{Clamp, Member};

/// A prepared `RELU_0_TO_1` node.
pub type Relu0To1 = Clamp<Range>;

/// Clamps to `[0, 1]`.
pub struct Range;

impl Member for Range {
    const CODE: OpCode = OpCode::Builtin(op::RELU_0_TO_1);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);
    const RANGE: Limits<f32> = Limits { min: 0.0, max: 1.0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::relu::tests::expect;

    #[test]
    fn values() {
        expect::<Relu0To1>([0.0, 0.0, 0.0, 0.5, 1.0, 1.0], [4, 4, 4, 6, 8], [7, 7, 8]);
    }
}
