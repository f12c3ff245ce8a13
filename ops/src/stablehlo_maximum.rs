//! STABLEHLO_MAXIMUM: `y = max(a, b)` of two tensors of one shape. Floats of 16, 32 and 64 bits, integers, bool.
//! Supports in-place operation.
//! Defined by: tflite/kernels/stablehlo_min_max.cc.

use arenite_abi::prelude::*;

use crate::kit::stablehlo::{ALL, Elementwise, Member, Number};

/// A prepared `STABLEHLO_MAXIMUM` node.
pub type StablehloMaximum = Elementwise<Maximum>;

/// The function `y = max(a, b)`.
pub struct Maximum;

impl Member for Maximum {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_MAXIMUM);
    const TYPES: ElementTypes = ALL;

    fn combine<T: Number>(a: T, b: T) -> T {
        a.larger(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::stablehlo::tests::*;

    #[test]
    fn values() {
        expect_integers::<StablehloMaximum>(6, 0);
        expect::<StablehloMaximum, u8>(&[6, 0], &[5, 255], &[6, 255]);
        expect::<StablehloMaximum, u16>(&[6, 0], &[5, 1 << 15], &[6, 1 << 15]);
        expect::<StablehloMaximum, u32>(&[6, 0], &[5, 1 << 31], &[6, 1 << 31]);
        expect::<StablehloMaximum, u64>(&[6, 0], &[5, 1 << 63], &[6, 1 << 63]);
        let inf = f32::INFINITY;
        expect_floats::<StablehloMaximum>(
            [1.5, -0.5, inf, -inf],
            [2.0, -2.0, 1.0, 1.0],
            [2.0, -0.5, inf, 1.0],
        );
        expect_truth::<StablehloMaximum>([0, 1, 1, 1]);
    }

    #[test]
    fn nan_and_zeros() {
        expect_first::<StablehloMaximum>();
    }
}
