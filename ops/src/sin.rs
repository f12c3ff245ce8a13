//! SIN: `y = sin x`. f32, f16. Supports in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `SIN` node.
pub type Sin = Function<Sine>;

/// The sine of an angle in radians.
pub struct Sine;

impl Member for Sine {
    const CODE: OpCode = OpCode::Builtin(op::SIN);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16]);

    fn value(x: f32) -> f32 {
        float::sin(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;

    #[test]
    fn values() {
        expect::<Sin>(&[
            (0.0, 0.0),
            (-0.0, -0.0),
            (1.0, 0.841_470_96),
            (-2.0, -0.909_297_4),
            (f32::INFINITY, f32::NAN),
        ]);
    }
}
