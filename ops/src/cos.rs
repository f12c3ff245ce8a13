//! COS: `y = cos x`. f32, f16. Supports in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `COS` node.
pub type Cos = Function<Cosine>;

/// The cosine of an angle in radians.
pub struct Cosine;

impl Member for Cosine {
    const CODE: OpCode = OpCode::Builtin(op::COS);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16]);

    fn value(x: f32) -> f32 {
        float::cos(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;

    #[test]
    fn values() {
        expect::<Cos>(&[
            (0.0, 1.0),
            (1.0, 0.540_302_3),
            (-2.0, -0.416_146_84),
            (f32::NEG_INFINITY, f32::NAN),
        ]);
    }
}
