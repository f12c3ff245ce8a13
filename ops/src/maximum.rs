//! MAXIMUM: `y = a if a > b, else b`, with broadcasting. f32, f16, bf16; i8, u8, i16, i32, i64, quantized or not.
//! Supports in-place operation.
//! Defined by: tflite/kernels/maximum_minimum.cc.

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::extremum::{Extremum, Member};

/// A prepared `MAXIMUM` node.
pub type Maximum = Extremum<Greater>;

/// Selects the larger of two elements.
pub struct Greater;

impl Member for Greater {
    const CODE: OpCode = OpCode::Builtin(op::MAXIMUM);
    const FIRST: Ordering = Ordering::Greater;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::extremum::tests::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn of_every_type() {
        expect::<Maximum>(5);
    }

    #[test]
    fn scales_are_ignored() {
        let a = Tensor::i8(&[2, 2], &[1, 2, 3, 4]).quantized(0.5, 3);
        let y = run::<Maximum>(a, Tensor::i8(&[2, 1], &[2, 3]).quantized(0.25, 0));
        assert_eq!((y.shape(), y.as_i8()), (&[2, 2][..], vec![2, 2, 3, 4]));
    }

    #[test]
    fn nan_and_zeros() {
        expect_second::<Maximum>();
    }

    #[test]
    fn no_elements() {
        expect_empty::<Maximum>();
    }
}
