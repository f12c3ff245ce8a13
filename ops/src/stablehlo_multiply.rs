//! STABLEHLO_MULTIPLY: `y = a × b` of two tensors of one shape. Floats of 16, 32 and 64 bits, integers, bool. Supports
//! in-place operation.
//! Defined by: tflite/kernels/stablehlo_multiply.cc.

use arenite_abi::prelude::*;

use crate::kit::stablehlo::{ALL, Elementwise, Member, Number};

/// A prepared `STABLEHLO_MULTIPLY` node.
pub type StablehloMultiply = Elementwise<Product>;

/// The function `y = a × b`.
pub struct Product;

impl Member for Product {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_MULTIPLY);
    const TYPES: ElementTypes = ALL;

    fn combine<T: Number>(a: T, b: T) -> T {
        a.product(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::stablehlo::tests::*;

    #[test]
    fn integers_wrap() {
        expect_integers::<StablehloMultiply>(30, 0);
        expect::<StablehloMultiply, u8>(&[200], &[3], &[88]);
        expect::<StablehloMultiply, u16>(&[1 << 15, 7], &[2, 6], &[0, 42]);
        expect::<StablehloMultiply, u32>(&[u32::MAX], &[u32::MAX], &[1]);
        expect::<StablehloMultiply, u64>(&[1 << 63], &[3], &[1 << 63]);
        expect::<StablehloMultiply, i16>(&[300], &[300], &[24464]);
    }

    #[test]
    fn floats() {
        let inf = f32::INFINITY;
        expect_floats::<StablehloMultiply>(
            [1.5, 0.25, inf, -inf],
            [2.0, -0.5, 1.0, 2.0],
            [3.0, -0.125, inf, -inf],
        );
    }

    #[test]
    fn booleans() {
        expect_truth::<StablehloMultiply>([0, 0, 0, 1]);
    }
}
