//! REDUCE_MIN: the smallest element along any axes. f32, i32, i64; u8, i8, i16 with equal quantization of input and
//! output; BOOL along axes of size 1. A NaN is ignored unless it comes last. An empty group gives the largest finite
//! number.
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h (`MinOp`).

use arenite_abi::prelude::*;

use crate::kit::number::{Combine, Number};
use crate::kit::reduce::{Extreme, Extremum, Reducer};

/// A prepared `REDUCE_MIN` node.
pub type ReduceMin = Reducer<Extremum<Min>>;

/// Keeps the smaller of two elements.
pub struct Min;

impl Extreme for Min {
    const CODE: OpCode = OpCode::Builtin(op::REDUCE_MIN);
}

impl Combine for Min {
    fn nothing<T: Number>() -> T {
        T::HIGHEST
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        if so_far < next { so_far } else { next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::reduce::tests::{expect_refusals, run};
    use arenite_abi::testing::{Spec, Tensor};

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 2, 2], &[1., -7., 3., -4., 5., -9., 0., 8.]);
        type Case = (&'static [i32], bool, &'static [i32], &'static [f32]);
        let cases: [Case; 4] = [
            (&[1], false, &[2, 2], &[1., -7., 0., -9.]),
            (&[0, 2], true, &[1, 2, 1], &[-9., -4.]),
            (&[2, -3, 2, 1], false, &[], &[-9.]),
            (&[], true, &[2, 2, 2], &[1., -7., 3., -4., 5., -9., 0., 8.]),
        ];
        for (axes, keep_dims, shape, want) in cases {
            let y = run::<ReduceMin>(&x, axes, keep_dims, Spec::f32()).unwrap();
            assert_eq!((y.shape(), y.as_f32()), (shape, want.to_vec()), "{axes:?}");
        }
    }

    #[test]
    fn nan_is_ignored_unless_it_is_last() {
        let x = Tensor::f32(&[2, 2], &[f32::NAN, 1.0, 1.0, f32::NAN]);
        let y = run::<ReduceMin>(&x, &[1], false, Spec::f32()).unwrap().as_f32();
        assert!(y[0] == 1.0 && y[1].is_nan());
    }

    #[test]
    fn integers_and_quantized_numbers() {
        let min = |x: Tensor, y| run::<ReduceMin>(&x, &[0], false, y).unwrap();
        assert_eq!(min(Tensor::i32(&[3], &[5, i32::MAX, 4]), Spec::i32()).as_i32(), [4]);
        assert_eq!(min(Tensor::i64(&[2], &[-1 << 40, -1]), Spec::i64()).as_i64(), [-1 << 40]);
        let x = Tensor::i8(&[2, 2], &[-128, 3, 5, -7]).quantized(0.5, 3);
        assert_eq!(min(x, Spec::i8(0.5, 3)).as_i8(), [-128, -7]);
        let x = Tensor::u8(&[3], &[200, 255, 3]).quantized(0.5, 3);
        assert_eq!(min(x, Spec::u8(0.5, 3)).as_u8(), [3]);
        let x = Tensor::i16(&[2], &[-300, 300]).quantized(0.5, 0);
        assert_eq!(min(x, Spec::i16(0.5, 0)).as_i16(), [-300]);
    }

    #[test]
    fn empty_groups() {
        let y = run::<ReduceMin>(&Tensor::f32(&[2, 0], &[]), &[1], true, Spec::f32()).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[2, 1][..], vec![f32::MAX; 2]));
        let y = run::<ReduceMin>(&Tensor::u8(&[0], &[]), &[0], false, Spec::of(U8)).unwrap();
        assert_eq!(y.as_u8(), [255]);
    }

    #[test]
    fn refusals() {
        expect_refusals::<ReduceMin>(&Tensor::f32(&[2, 2], &[0.0; 4]), Spec::f32());
        let x = Tensor::u8(&[1], &[0]).quantized(0.5, 3);
        let error = run::<ReduceMin>(&x, &[0], false, Spec::u8(0.25, 3)).unwrap_err();
        assert_eq!(
            error.message(),
            "'in0' has scale 0.5 and zero point 3, 'out0' has 0.25 and 3; they must agree"
        );
    }
}
