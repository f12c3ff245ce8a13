//! MEAN along any axes. f32, i32, i64; u8, i8, i16 per-tensor quantized.
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h (f32, i32, i64; u8 over height and
//! width), tflite/kernels/internal/optimized/integer_ops/mean.h (i8 over height and width),
//! tflite/kernels/internal/reference/reduce.h (`QuantizedMeanOrSum`).

use arenite_abi::prelude::*;

use crate::kit::indexing::{Fold, KeepDims};
use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::reduce::{Groups, Reduce, Reducer, wide_sum};
use crate::kit::requantize::{Multiplier, Quant};

/// A prepared `MEAN` node.
pub type Mean = Reducer<Average>;

plain! {
    /// The reduction of MEAN.
    #[derive(Clone, Copy)]
    pub struct Average {
        quantized: Maybe<QuantizedMean>,
    }
}

plain! {
    #[derive(Clone, Copy)]
    struct QuantizedMean {
        multiplier: Multiplier,
        /// Subtracted from each sum before it is scaled.
        before: i32,
        /// Added after scaling.
        after: i32,
        /// The number of leading channels, out of every `channels`, whose scaling rounds ties up, as SIMD code does.
        ties_up: usize,
        channels: usize,
    }
}

impl Reduce for Average {
    const CODE: OpCode = OpCode::Builtin(op::MEAN);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64, U8, I8, I16]);

    fn prepare(x: &TensorView<'_>, y: &TensorView<'_>, groups: &Groups) -> Result<Self> {
        let quantized = match node::type_limits(x.ty) {
            Some(_) => Some(QuantizedMean::new(x, y, groups)?),
            None => None,
        };
        Ok(Average { quantized: quantized.into() })
    }

    fn eval(&self, x: &TensorView<'_>, y: TensorViewMut<'_>, groups: &Groups) -> Result<()> {
        match x.ty {
            F32 => mean_f32(groups, x.as_slice()?, y.into_slice()?),
            I32 => mean_whole(groups, x.as_slice::<i32>()?, y.into_slice()?, i64::from, |q| q as i32),
            I64 => mean_whole(groups, x.as_slice::<i64>()?, y.into_slice()?, |x| x, |q| q),
            U8 => self.mean_quantized::<u8>(groups, x.as_slice()?, y.into_slice()?),
            I8 => self.mean_quantized::<i8>(groups, x.as_slice()?, y.into_slice()?),
            I16 => self.mean_quantized::<i16>(groups, x.as_slice()?, y.into_slice()?),
            ty => return Err(Error::unsupported("MEAN", ty)),
        }
        Ok(())
    }
}

/// The mean of an empty group is NaN.
fn mean_f32(groups: &Groups, x: &[f32], y: &mut [f32]) {
    let count = groups.reduction.group_len() as f32;
    let sum = Fold { first: |x| x, next: |sum, x| sum + x };
    groups.reduction.fold(x, &sum, |out, sum: Option<f32>| y[out] = sum.map_or(f32::NAN, |sum| sum / count));
}

/// Quotients are truncated. The mean of an empty group is 0.
fn mean_whole<T: Copy>(
    groups: &Groups,
    x: &[T],
    y: &mut [T],
    widen: impl Fn(T) -> i64,
    narrow: impl Fn(i64) -> T,
) {
    let count = groups.reduction.group_len() as i64;
    let sum = Fold { first: &widen, next: |sum: i64, x| sum.wrapping_add(widen(x)) };
    groups.reduction.fold(x, &sum, |out, sum| {
        y[out] = narrow(sum.and_then(|sum| sum.checked_div(count)).unwrap_or(0));
    });
}

impl Average {
    /// The mean of an empty group is the quantized number 0.
    fn mean_quantized<T: Quantized>(&self, groups: &Groups, x: &[T], y: &mut [T]) {
        let Some(q) = self.quantized.get().filter(|_| groups.reduction.group_len() > 0) else {
            y.fill(T::saturate(0));
            return;
        };
        groups.reduction.fold_in_any_order(x, &wide_sum(), i32::wrapping_add, |out, sum| {
            let sum = sum.unwrap_or(0).wrapping_sub(q.before);
            let scaled = match out % q.channels < q.ties_up {
                true => q.multiplier.apply_ties_up(sum),
                false => q.multiplier.apply(sum),
            };
            y[out] = T::saturate(scaled.wrapping_add(q.after));
        });
    }
}

impl QuantizedMean {
    fn new(x: &TensorView<'_>, y: &TensorView<'_>, groups: &Groups) -> Result<QuantizedMean> {
        let Groups { dims, axes, keep_dims, reduction } = groups;
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        ensure!(
            x.ty != I16 || (from.zero_point == 0 && to.zero_point == 0),
            "input {x} has zero point {}, the output {}; for i16 both must be 0",
            from.zero_point,
            to.zero_point
        );
        let over_image = *keep_dims == KeepDims::Keep
            && dims.rank() == 4
            && (0..4).all(|axis| axes.contains(axis) == (axis == 1 || axis == 2));
        let mean = match over_image && x.ty != I16 {
            true => Self::over_image(from, to, reduction.group_len(), dims.size(3)),
            false => Self::general(from, to, reduction.group_len()),
        };
        mean.ok_or_else(|| {
            invalid!("{x} has scale {}, {y} has scale {}; their ratio must be finite", from.scale, to.scale)
        })
    }

    /// For the mean over height and width with all axes kept: constants in f32, and SIMD code for whole groups of
    /// sixteen channels.
    fn over_image(from: Quant, to: Quant, count: usize, channels: usize) -> Option<QuantizedMean> {
        let offset = from.zero_point as f32 * from.scale / to.scale;
        let offset = if offset > 0.0 { offset + 0.5 } else { offset - 0.5 };
        let real = from.scale / (count as f32 * to.scale);
        let multiplier = if count == 0 { Some(Multiplier::ZERO) } else { Multiplier::from_real(real.into()) };
        Some(QuantizedMean {
            multiplier: multiplier?,
            before: 0,
            after: to.zero_point.wrapping_sub(offset as i32),
            ties_up: channels - channels % 16,
            channels: channels.max(1),
        })
    }

    /// Computes `value × 2^shift / count`, with as many bits of `count` as the shift can absorb.
    fn general(from: Quant, to: Quant, count: usize) -> Option<QuantizedMean> {
        let Multiplier { value, shift } = Multiplier::from_real(f64::from(from.scale) / f64::from(to.scale))?;
        let count = count.max(1) as i64;
        let bits = (63 - count.leading_zeros() as i32).min(32).min(31 + shift);
        let multiplier =
            Multiplier { value: ((i64::from(value) << bits) / count) as i32, shift: shift - bits };
        let before = i64::from(from.zero_point).wrapping_mul(count) as i32;
        Some(QuantizedMean { multiplier, before, after: to.zero_point, ties_up: 0, channels: 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::ReducerOptions;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn axes(list: &[i32]) -> Tensor {
        Tensor::i32(&[list.len() as i32], list)
    }

    fn test(x: Tensor, list: &[i32], keep_dims: bool, y: Spec) -> OpTest<Mean> {
        OpTest::new()
            .options(|o| o.set(ReducerOptions::KEEP_DIMS, keep_dims))
            .input(x)
            .constant(axes(list))
            .output(y)
    }

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 3], &[1., 2., 3., 4., 5., 9.]);
        type Case = (&'static [i32], bool, &'static [i32], &'static [f32]);
        let cases: [Case; 5] = [
            (&[1], false, &[2], &[2., 6.]),
            (&[-1], true, &[2, 1], &[2., 6.]),
            (&[0], false, &[3], &[2.5, 3.5, 6.]),
            (&[0, 1, 0], false, &[], &[4.]),
            (&[], false, &[2, 3], &[1., 2., 3., 4., 5., 9.]),
        ];
        for (list, keep_dims, shape, want) in cases {
            let y = test(x.clone(), list, keep_dims, Spec::f32()).run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_f32()), (shape, want.to_vec()));
            // The axes may depend on data.
            let dynamic = OpTest::<Mean>::new().options(|o| o.set(ReducerOptions::KEEP_DIMS, keep_dims));
            let y = dynamic.input(x.clone()).input(axes(list)).output(Spec::f32()).run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_f32()), (shape, want.to_vec()));
        }
    }

    #[test]
    fn empty_groups() {
        let y = test(Tensor::f32(&[0, 2], &[]), &[0], false, Spec::f32()).run().unwrap();
        assert!(y[0].as_f32().iter().all(|y| y.is_nan()) && y[0].shape() == [2]);
        let y = test(Tensor::i32(&[0, 2], &[]), &[0], false, Spec::i32()).run().unwrap();
        assert_eq!(y[0].as_i32(), [0, 0]);
        let x = Tensor::i8(&[0, 2], &[]).quantized(1.0, 3);
        assert_eq!(test(x, &[0], false, Spec::i8(1.0, 3)).run().unwrap()[0].as_i8(), [0, 0]);
        let x = Tensor::i8(&[1, 0, 1, 2], &[]).quantized(1.0, 3);
        assert_eq!(test(x, &[1, 2], true, Spec::i8(1.0, 3)).run().unwrap()[0].as_i8(), [0, 0]);
    }

    #[test]
    fn integers_truncate() {
        let x = Tensor::i32(&[2, 2], &[1, 2, -1, -2]);
        assert_eq!(test(x, &[1], false, Spec::i32()).run().unwrap()[0].as_i32(), [1, -1]);
        let x = Tensor::i64(&[2], &[i64::MAX, i64::MAX]);
        // The sum wraps to -2.
        assert_eq!(test(x, &[0], false, Spec::i64()).run().unwrap()[0].as_i64(), [-1]);
    }

    #[test]
    fn general_quantized_mean() {
        // Real values 0.5 × (q - 2): -1, 0, 1, 4 with the mean 1; in steps of 0.25 from 1, that is 5.
        let x = Tensor::i8(&[4], &[0, 2, 4, 10]).quantized(0.5, 2);
        assert_eq!(test(x, &[0], false, Spec::i8(0.25, 1)).run().unwrap()[0].as_i8(), [5]);
        let x = Tensor::u8(&[3], &[10, 20, 60]).quantized(1.0, 10);
        assert_eq!(test(x, &[0], true, Spec::u8(1.0, 0)).run().unwrap()[0].as_u8(), [20]);
        let x = Tensor::i16(&[2], &[-30000, 10000]).quantized(1.0, 0);
        assert_eq!(test(x, &[0], false, Spec::i16(1.0, 0)).run().unwrap()[0].as_i16(), [-10000]);
    }

    #[test]
    fn means_over_images_with_many_channels() {
        // The mean of -3, -3, -2, -2 is a tie in the second rounding: it is rounded up in the first sixteen channels
        // and away from zero in the remaining ones.
        let q = [[-3i8; 34], [-2; 34]].concat();
        let x = Tensor::i8(&[1, 2, 2, 17], &q).quantized(1.0, 0);
        let mut want = vec![-2; 16];
        want.push(-3);
        let y = test(x.clone(), &[2, 1], true, Spec::i8(1.0, 0)).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i8()), (&[1, 1, 1, 17][..], want));
        // Without keeping axes, the general kernel runs.
        let y = test(x, &[1, 2], false, Spec::i8(1.0, 0)).run().unwrap();
        assert_eq!(y[0].as_i8(), [-3; 17]);
    }
}
