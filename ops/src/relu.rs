//! RELU: `y = max(x, 0)`. f32; i8, u8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::relu::{Clamp, Member};

/// A prepared `RELU` node.
pub type Relu = Clamp<Range>;

/// Clamps to `[0, ∞)`.
pub struct Range;

impl Member for Range {
    const CODE: OpCode = OpCode::Builtin(op::RELU);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);
    const RANGE: Limits<f32> = Limits { min: 0.0, max: f32::INFINITY };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::relu::tests::{expect, expect_words};

    #[test]
    fn values() {
        expect::<Relu>([0.0, 0.0, 0.0, 0.5, 3.0, 7.5], [4, 4, 4, 6, 64], [7, 7, 8]);
    }

    #[test]
    fn sixteen_bits() {
        expect_words::<Relu>();
    }
}
