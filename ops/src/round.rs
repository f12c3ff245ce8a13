//! ROUND: rounds `x` to the nearest integer, ties to even. f32, f16, bf16. Supports in-place operation.
//! Defined by: tflite/kernels/round.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::function::{Function, Member};

/// A prepared `ROUND` node.
pub type Round = Function<Nearest>;

/// Rounds to the nearest integer, ties to even.
pub struct Nearest;

impl Member for Nearest {
    const CODE: OpCode = OpCode::Builtin(op::ROUND);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);

    /// Numbers between -0.5 and 0 give a positive zero; only -0 itself stays negative.
    fn value(x: f32) -> f32 {
        let nearest = float::round_ties_even(x);
        if nearest == 0.0 && x != 0.0 { 0.0 } else { nearest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;

    #[test]
    fn values() {
        expect::<Round>(&[
            (-0.0, -0.0),
            (-0.25, 0.0),
            (0.5, 0.0),
            (1.5, 2.0),
            (-1.5, -2.0),
            (-2.5, -2.0),
            (f32::INFINITY, f32::INFINITY),
            (f32::NAN, f32::NAN),
        ]);
    }
}
