//! REDUCE_MAX: the largest element along any axes. f32, i32, i64; u8, i8, i16 with equal quantization of input and
//! output; BOOL along axes of size 1. A NaN is ignored unless it comes last. An empty group gives the smallest finite
//! number.
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h (`MaxOp`).

use arenite_abi::prelude::*;

use crate::kit::number::{Combine, Number};
use crate::kit::reduce::{Extreme, Extremum, Reducer};

/// A prepared `REDUCE_MAX` node.
pub type ReduceMax = Reducer<Extremum<Max>>;

/// Keeps the larger of two elements.
pub struct Max;

impl Extreme for Max {
    const CODE: OpCode = OpCode::Builtin(op::REDUCE_MAX);
}

impl Combine for Max {
    fn nothing<T: Number>() -> T {
        T::LOWEST
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        if so_far > next { so_far } else { next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::reduce::tests::{expect_refusals, run};
    use arenite_abi::testing::{Spec, Tensor};

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 3], &[1., -7., 3., -4., 5., -9.]);
        type Case = (&'static [i32], bool, &'static [i32], &'static [f32]);
        let cases: [Case; 6] = [
            (&[1], false, &[2], &[3., 5.]),
            (&[-1, 1], true, &[2, 1], &[3., 5.]),
            (&[0], false, &[3], &[1., 5., 3.]),
            (&[0, 1, 0], false, &[], &[5.]),
            (&[1, -2], true, &[1, 1], &[5.]),
            (&[], false, &[2, 3], &[1., -7., 3., -4., 5., -9.]),
        ];
        for (axes, keep_dims, shape, want) in cases {
            let y = run::<ReduceMax>(&x, axes, keep_dims, Spec::f32()).unwrap();
            assert_eq!((y.shape(), y.as_f32()), (shape, want.to_vec()), "{axes:?}");
        }
    }

    #[test]
    fn nan_is_ignored_unless_it_is_last() {
        let x = Tensor::f32(&[2, 2], &[f32::NAN, 1.0, 1.0, f32::NAN]);
        let y = run::<ReduceMax>(&x, &[1], false, Spec::f32()).unwrap().as_f32();
        assert!(y[0] == 1.0 && y[1].is_nan());
    }

    #[test]
    fn integers_and_quantized_numbers() {
        let max = |x: Tensor, y| run::<ReduceMax>(&x, &[0], false, y).unwrap();
        assert_eq!(max(Tensor::i32(&[3], &[-5, i32::MIN, -4]), Spec::i32()).as_i32(), [-4]);
        assert_eq!(max(Tensor::i64(&[2], &[1 << 40, -1]), Spec::i64()).as_i64(), [1 << 40]);
        let x = Tensor::i8(&[2, 2], &[-128, 3, 5, -7]).quantized(0.5, 3);
        assert_eq!(max(x, Spec::i8(0.5, 3)).as_i8(), [5, 3]);
        let x = Tensor::u8(&[3], &[200, 255, 0]).quantized(0.5, 3);
        assert_eq!(max(x, Spec::u8(0.5, 3)).as_u8(), [255]);
        let x = Tensor::i16(&[2], &[-300, 300]).quantized(0.5, 0);
        assert_eq!(max(x, Spec::i16(0.5, 0)).as_i16(), [300]);
        // Integers without quantization.
        assert_eq!(max(Tensor::i16(&[2], &[-300, 300]), Spec::of(I16)).as_i16(), [300]);
    }

    #[test]
    fn empty_groups_and_single_elements() {
        let max = |x: Tensor, axis: i32, y| run::<ReduceMax>(&x, &[axis], false, y).unwrap();
        assert_eq!(max(Tensor::f32(&[0, 2], &[]), 0, Spec::f32()).as_f32(), [f32::MIN; 2]);
        assert_eq!(max(Tensor::i8(&[0], &[]), 0, Spec::of(I8)).as_i8(), [-128]);
        assert!(max(Tensor::f32(&[0, 2], &[]), 1, Spec::f32()).as_f32().is_empty());
        assert_eq!(max(Tensor::f32(&[], &[3.0]), 7, Spec::f32()).as_f32(), [3.0]);
        assert_eq!(max(Tensor::bool(&[1, 2], &[true, false]), 0, Spec::bool()).as_bool(), [true, false]);
    }

    #[test]
    fn refusals() {
        expect_refusals::<ReduceMax>(&Tensor::f32(&[2, 2], &[0.0; 4]), Spec::f32());
        let error = |x: Tensor, y| run::<ReduceMax>(&x, &[0], false, y).unwrap_err();
        let x = Tensor::i8(&[1], &[0]).quantized(0.5, 3);
        assert_eq!(
            error(x, Spec::i8(0.5, 4)).message(),
            "'in0' has scale 0.5 and zero point 3, 'out0' has 0.5 and 4; they must agree"
        );
    }
}
