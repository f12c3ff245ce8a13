//! SUM along any axes. f32, i32, i64, which wrap; u8, i8, i16 per-tensor quantized; BOOL along axes of size 1.
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h (`QuantizedMeanOrSum`, `SumOp`).

use arenite_abi::prelude::*;

use crate::kit::node;
use crate::kit::number::{Combine, Number};
use crate::kit::quantized::Quantized;
use crate::kit::reduce::{Groups, Reduce, Reducer, refuse_bool, symmetric_words, wide_sum};
use crate::kit::requantize::round_f32;

/// A prepared `SUM` node.
pub type Sum = Reducer<Total>;

plain! {
    /// The reduction of SUM.
    #[derive(Clone, Copy)]
    pub struct Total {
        quantized: Maybe<Line>,
    }
}

plain! {
    /// Converts the sum of quantized numbers to the quantized sum: `round(sum × scale + bias) + zero_point`.
    #[derive(Clone, Copy)]
    struct Line {
        scale: f32,
        bias: f32,
        zero_point: i32,
    }
}

impl Combine for Total {
    fn nothing<T: Number>() -> T {
        T::ZERO
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        so_far.plus(next)
    }
}

impl Reduce for Total {
    const CODE: OpCode = OpCode::Builtin(op::SUM);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64, U8, I8, I16, ElementType::Bool]);

    fn prepare(x: &TensorView<'_>, y: &TensorView<'_>, groups: &Groups) -> Result<Self> {
        refuse_bool(x, groups)?;
        symmetric_words(x, y)?;
        if node::type_limits(x.ty).is_none() {
            return Ok(Total { quantized: Maybe::Absent });
        }
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        let scale = from.scale / to.scale;
        node::multiplier(scale.into(), x, y)?;
        let bias = from.zero_point.wrapping_neg() as f32 * scale * groups.reduction.group_len() as f32;
        Ok(Total { quantized: Maybe::Present(Line { scale, bias, zero_point: to.zero_point }) })
    }

    fn eval(&self, x: &TensorView<'_>, y: TensorViewMut<'_>, groups: &Groups) -> Result<()> {
        match (x.ty, self.quantized.as_ref()) {
            (U8, Some(line)) => line.sum::<u8>(x, y, groups),
            (I8, Some(line)) => line.sum::<i8>(x, y, groups),
            (I16, Some(line)) => line.sum::<i16>(x, y, groups),
            _ => groups.combine::<Total>(x, y),
        }
    }
}

impl Line {
    fn sum<T: Quantized>(&self, x: &TensorView<'_>, y: TensorViewMut<'_>, groups: &Groups) -> Result<()> {
        let (x, y) = (x.as_slice::<T>()?, y.into_slice::<T>()?);
        groups.reduction.fold_in_any_order(x, &wide_sum(), i32::wrapping_add, |out, sum| {
            let sum = sum.unwrap_or(0);
            let scaled = cut_off(round_f32(sum as f32 * self.scale + self.bias));
            y[out] = T::saturate(scaled.wrapping_add(self.zero_point));
        });
        Ok(())
    }
}

/// Converts like x86: out of range, and for NaN, the result is the most negative number.
fn cut_off(x: f32) -> i32 {
    if (-2_147_483_648.0..2_147_483_648.0).contains(&x) { x as i32 } else { i32::MIN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::reduce::tests::{expect_refusals, run};
    use arenite_abi::testing::{Spec, Tensor};

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 3], &[1., 2., 3., 4., 5., 9.]);
        type Case = (&'static [i32], bool, &'static [i32], &'static [f32]);
        let cases: [Case; 5] = [
            (&[1], false, &[2], &[6., 18.]),
            (&[-1], true, &[2, 1], &[6., 18.]),
            (&[0], false, &[3], &[5., 7., 12.]),
            (&[0, 1, 0], false, &[], &[24.]),
            (&[], false, &[2, 3], &[1., 2., 3., 4., 5., 9.]),
        ];
        for (axes, keep_dims, shape, want) in cases {
            let y = run::<Sum>(&x, axes, keep_dims, Spec::f32()).unwrap();
            assert_eq!((y.shape(), y.as_f32()), (shape, want.to_vec()), "{axes:?}");
        }
        // Added in order: the large numbers cancel before the small one is added.
        let x = Tensor::f32(&[3], &[1e8, -1e8, 1.0]);
        assert_eq!(run::<Sum>(&x, &[0], false, Spec::f32()).unwrap().as_f32(), [1.0]);
        let y = run::<Sum>(&Tensor::f32(&[2], &[-0.0, -0.0]), &[0], false, Spec::f32()).unwrap();
        assert!(y.as_f32()[0].is_sign_negative());
    }

    #[test]
    fn integers_wrap() {
        let x = Tensor::i32(&[2], &[i32::MAX, 3]);
        assert_eq!(run::<Sum>(&x, &[0], false, Spec::i32()).unwrap().as_i32(), [i32::MIN + 2]);
        let x = Tensor::i64(&[1, 2], &[1 << 40, 3]);
        assert_eq!(run::<Sum>(&x, &[1], false, Spec::i64()).unwrap().as_i64(), [(1 << 40) + 3]);
    }

    #[test]
    fn quantized_numbers() {
        // Real values 0.5 × (q - 2): -1, 0, 1, 4 with the sum 4; in steps of 0.25 from 1, that is 17.
        let x = Tensor::i8(&[4], &[0, 2, 4, 10]).quantized(0.5, 2);
        assert_eq!(run::<Sum>(&x, &[0], false, Spec::i8(0.25, 1)).unwrap().as_i8(), [17]);
        // Each element separately: -1, 0, 1, 4 are -3, 1, 5, 17.
        assert_eq!(run::<Sum>(&x, &[], false, Spec::i8(0.25, 1)).unwrap().as_i8(), [-3, 1, 5, 17]);
        // Half a step rounds away from zero: -1.5 and 1.5 steps.
        let x = Tensor::i16(&[2, 2], &[-1, -2, 1, 2]).quantized(0.5, 0);
        assert_eq!(run::<Sum>(&x, &[1], true, Spec::i16(1.0, 0)).unwrap().as_i16(), [-2, 2]);
        let x = Tensor::u8(&[3], &[255, 255, 0]).quantized(1.0, 0);
        assert_eq!(run::<Sum>(&x, &[0], false, Spec::u8(1.0, 0)).unwrap().as_u8(), [255]);
        assert_eq!(run::<Sum>(&x, &[0], false, Spec::u8(100.0, 3)).unwrap().as_u8(), [8]);
    }

    #[test]
    fn empty_groups() {
        let y = run::<Sum>(&Tensor::f32(&[0, 2], &[]), &[0], false, Spec::f32()).unwrap();
        assert_eq!(y.as_f32(), [0.0; 2]);
        let x = Tensor::i8(&[0], &[]).quantized(0.5, 2);
        assert_eq!(run::<Sum>(&x, &[0], false, Spec::i8(0.5, 7)).unwrap().as_i8(), [7]);
    }

    #[test]
    fn refusals() {
        expect_refusals::<Sum>(&Tensor::f32(&[2, 2], &[0.0; 4]), Spec::f32());
        let error = |x: Tensor, y| run::<Sum>(&x, &[0], false, y).unwrap_err();
        let x = Tensor::i8(&[1], &[0]).quantized(1.0, 0);
        assert!(error(x, Spec::i8(0.0, 0)).message().ends_with("scales must be above zero"));
    }
}
