//! STABLEHLO_MINIMUM: `y = min(a, b)` of two tensors of one shape. Floats of 16, 32 and 64 bits, integers, bool.
//! Supports in-place operation.
//! Defined by: tflite/kernels/stablehlo_min_max.cc.

use arenite_abi::prelude::*;

use crate::kit::stablehlo::{ALL, Elementwise, Member, Number};

/// A prepared `STABLEHLO_MINIMUM` node.
pub type StablehloMinimum = Elementwise<Minimum>;

/// The function `y = min(a, b)`.
pub struct Minimum;

impl Member for Minimum {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_MINIMUM);
    const TYPES: ElementTypes = ALL;

    fn combine<T: Number>(a: T, b: T) -> T {
        a.smaller(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::stablehlo::tests::*;

    #[test]
    fn values() {
        expect_integers::<StablehloMinimum>(5, -1);
        expect::<StablehloMinimum, u8>(&[6, 1], &[5, 255], &[5, 1]);
        expect::<StablehloMinimum, u16>(&[6, 1], &[5, 1 << 15], &[5, 1]);
        expect::<StablehloMinimum, u32>(&[6, 1], &[5, 1 << 31], &[5, 1]);
        expect::<StablehloMinimum, u64>(&[6, 1], &[5, 1 << 63], &[5, 1]);
        let inf = f32::INFINITY;
        expect_floats::<StablehloMinimum>(
            [1.5, -0.5, inf, -inf],
            [2.0, -2.0, 1.0, 1.0],
            [1.5, -2.0, 1.0, -inf],
        );
        expect_truth::<StablehloMinimum>([0, 0, 0, 1]);
    }

    #[test]
    fn nan_and_zeros() {
        expect_first::<StablehloMinimum>();
    }
}
