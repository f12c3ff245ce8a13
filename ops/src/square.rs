//! SQUARE: `y = x²`. f32. Supports in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::function::{Function, Member};

/// A prepared `SQUARE` node.
pub type Square = Function<Product>;

/// The square of a number.
pub struct Product;

impl Member for Product {
    const CODE: OpCode = OpCode::Builtin(op::SQUARE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn value(x: f32) -> f32 {
        x * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::function::tests::expect;

    #[test]
    fn values() {
        expect::<Square>(&[
            (0.0, 0.0),
            (-3.0, 9.0),
            (1e-30, 0.0),
            (2e38, f32::INFINITY),
            (f32::NAN, f32::NAN),
        ]);
    }
}
