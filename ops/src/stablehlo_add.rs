//! STABLEHLO_ADD: `y = a + b` of two tensors of one shape. Floats of 16, 32 and 64 bits, integers, bool. Supports
//! in-place operation.
//! Defined by: tflite/kernels/stablehlo_add.cc.

use arenite_abi::prelude::*;

use crate::kit::stablehlo::{ALL, Elementwise, Member, Number};

/// A prepared `STABLEHLO_ADD` node.
pub type StablehloAdd = Elementwise<Sum>;

/// The function `y = a + b`.
pub struct Sum;

impl Member for Sum {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_ADD);
    const TYPES: ElementTypes = ALL;

    fn combine<T: Number>(a: T, b: T) -> T {
        a.sum(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::stablehlo::tests::*;

    #[test]
    fn integers_wrap() {
        expect_integers::<StablehloAdd>(11, -1);
        expect::<StablehloAdd, u8>(&[200, 255], &[100, 255], &[44, 254]);
        expect::<StablehloAdd, u16>(&[1, u16::MAX], &[2, 1], &[3, 0]);
        expect::<StablehloAdd, u32>(&[1, u32::MAX], &[2, 2], &[3, 1]);
        expect::<StablehloAdd, u64>(&[u64::MAX], &[2], &[1]);
        expect::<StablehloAdd, i32>(&[i32::MAX], &[1], &[i32::MIN]);
    }

    #[test]
    fn floats() {
        let inf = f32::INFINITY;
        expect_floats::<StablehloAdd>([1.5, 0.25, inf, -inf], [2.0, -0.5, 1.0, 1.0], [3.5, -0.25, inf, -inf]);
        expect::<StablehloAdd, f32>(&[f32::MAX], &[f32::MAX], &[inf]);
    }

    #[test]
    fn booleans() {
        expect_truth::<StablehloAdd>([0, 1, 1, 1]);
    }
}
