//! CEIL: `y = ⌈x⌉`. f32. Supports in-place operation.
//! Defined by: tflite/kernels/ceil.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `CEIL` node.
pub type Ceil = Function<CeilFunction>;

/// Rounds up to an integer.
pub struct CeilFunction;

impl Member for CeilFunction {
    const CODE: OpCode = OpCode::Builtin(op::CEIL);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);

    fn value(x: f32) -> f32 {
        float::ceil(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;

    #[test]
    fn values() {
        expect::<Ceil>(&[
            (-0.0, -0.0),
            (0.5, 1.0),
            (-0.5, -0.0),
            (2.25, 3.0),
            (-3.0, -3.0),
            (f32::NEG_INFINITY, f32::NEG_INFINITY),
            (f32::NAN, f32::NAN),
        ]);
    }
}
