//! MINIMUM: `y = a if a < b, else b`, with broadcasting. f32, f16, bf16; i8, u8, i16, i32, i64, quantized or not.
//! Supports in-place operation.
//! Defined by: tflite/kernels/maximum_minimum.cc.

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::extremum::{Extremum, Member};

/// A prepared `MINIMUM` node.
pub type Minimum = Extremum<Less>;

/// Selects the smaller of two elements.
pub struct Less;

impl Member for Less {
    const CODE: OpCode = OpCode::Builtin(op::MINIMUM);
    const FIRST: Ordering = Ordering::Less;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::extremum::tests::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn of_every_type() {
        expect::<Minimum>(-3);
    }

    #[test]
    fn scales_are_ignored() {
        let a = Tensor::i8(&[2, 2], &[1, 2, 3, 4]).quantized(0.5, 3);
        let y = run::<Minimum>(a, Tensor::i8(&[2, 1], &[2, 3]).quantized(0.25, 0));
        assert_eq!((y.shape(), y.as_i8()), (&[2, 2][..], vec![1, 2, 3, 3]));
    }

    #[test]
    fn nan_and_zeros() {
        expect_second::<Minimum>();
    }

    #[test]
    fn no_elements() {
        expect_empty::<Minimum>();
    }
}
