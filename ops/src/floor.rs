//! FLOOR: `y = ⌊x⌋`. f32, f16, bf16. Supports in-place operation.
//! Defined by: tflite/kernels/floor.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `FLOOR` node.
pub type Floor = Function<FloorFunction>;

/// Rounds down to an integer.
pub struct FloorFunction;

impl Member for FloorFunction {
    const CODE: OpCode = OpCode::Builtin(op::FLOOR);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);

    fn value(x: f32) -> f32 {
        float::floor(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;

    #[test]
    fn values() {
        expect::<Floor>(&[
            (-0.0, -0.0),
            (0.5, 0.0),
            (-0.5, -1.0),
            (2.75, 2.0),
            (-3.0, -3.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::NAN, f32::NAN),
        ]);
    }
}
