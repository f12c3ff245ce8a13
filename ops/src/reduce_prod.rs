//! REDUCE_PROD: the product along any axes. f32; i32, i64, u8, i8, i16, which wrap; i8, i16 per-tensor quantized; BOOL
//! along axes of size 1.
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h (`QuantizedReduceProd`, `ProdOp`).

use arenite_abi::prelude::*;

use crate::kit::indexing::Fold;
use crate::kit::node;
use crate::kit::number::{Combine, Number};
use crate::kit::quantized::Quantized;
use crate::kit::reduce::{Groups, Reduce, Reducer, refuse_bool, symmetric_words};
use crate::kit::requantize::{Multiplier, Quant};

/// A prepared `REDUCE_PROD` node.
pub type ReduceProd = Reducer<Product>;

plain! {
    /// The reduction of REDUCE_PROD.
    #[derive(Clone, Copy)]
    pub struct Product {
        quantized: Maybe<Steps>,
    }
}

plain! {
    /// Factors are multiplied one at a time, and the product is scaled after each, so that it does not overflow.
    #[derive(Clone, Copy)]
    struct Steps {
        input_zero_point: i32,
        output: Quant,
        /// The factor `input scale / ⁿ√(output scale)` for n elements.
        multiplier: Multiplier,
    }
}

impl Combine for Product {
    fn nothing<T: Number>() -> T {
        T::ONE
    }

    fn with<T: Number>(so_far: T, next: T) -> T {
        so_far.times(next)
    }
}

impl Reduce for Product {
    const CODE: OpCode = OpCode::Builtin(op::REDUCE_PROD);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64, U8, I8, I16, ElementType::Bool]);

    fn prepare(x: &TensorView<'_>, y: &TensorView<'_>, groups: &Groups) -> Result<Self> {
        refuse_bool(x, groups)?;
        symmetric_words(x, y)?;
        match (x.ty, x.quantization()) {
            (_, None) => {
                if node::type_limits(x.ty).is_some() {
                    node::same_quantization(x, y)?;
                }
                Ok(Product { quantized: Maybe::Absent })
            }
            // The bytes are copied without regard to quantization.
            (I8 | I16, Some(_)) if groups.is_copy() => Ok(Product { quantized: Maybe::Absent }),
            (I8 | I16, Some(_)) => Ok(Product { quantized: Maybe::Present(Steps::new(x, y, groups)?) }),
            (ty, Some(_)) => {
                Err(unsupported!("input {x} is {ty} with quantization; only INT8 and INT16 support that"))
            }
        }
    }

    fn eval(&self, x: &TensorView<'_>, y: TensorViewMut<'_>, groups: &Groups) -> Result<()> {
        match (x.ty, self.quantized.as_ref()) {
            (I8, Some(steps)) => steps.multiply::<i8>(x, y, groups),
            (I16, Some(steps)) => steps.multiply::<i16>(x, y, groups),
            _ => groups.combine::<Product>(x, y),
        }
    }
}

impl Steps {
    fn new(x: &TensorView<'_>, y: &TensorView<'_>, groups: &Groups) -> Result<Steps> {
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        let factors = groups.reduction.group_len().max(1) as f64;
        let real = f64::from(from.scale) / libm::pow(to.scale.into(), 1.0 / factors);
        let multiplier = node::multiplier(real, x, y)?;
        Ok(Steps { input_zero_point: from.zero_point, output: to, multiplier })
    }

    fn multiply<T: Quantized>(
        &self,
        x: &TensorView<'_>,
        y: TensorViewMut<'_>,
        groups: &Groups,
    ) -> Result<()> {
        let (x, y) = (x.as_slice::<T>()?, y.into_slice::<T>()?);
        let scaled = |product: i64| self.multiplier.apply_i64(product);
        let factor = |x: T| x.into().wrapping_sub(self.input_zero_point);
        let next = |product: i32, x| scaled(i64::from(product).wrapping_mul(factor(x).into()));
        groups.reduction.fold(x, &Fold { first: factor, next }, |out, product| {
            y[out] = match product {
                Some(product) => T::saturate(scaled(product.into()).wrapping_add(self.output.zero_point)),
                None => T::saturate(self.output.quantize(1.0, T::LIMITS)),
            };
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::reduce::tests::{expect_refusals, run};
    use arenite_abi::testing::{Spec, Tensor};

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 3], &[1., 2., 3., 4., 5., -9.]);
        type Case = (&'static [i32], bool, &'static [i32], &'static [f32]);
        let cases: [Case; 4] = [
            (&[1], false, &[2], &[6., -180.]),
            (&[-2], true, &[1, 3], &[4., 10., -27.]),
            (&[0, 1, 0], false, &[], &[-1080.]),
            (&[], false, &[2, 3], &[1., 2., 3., 4., 5., -9.]),
        ];
        for (axes, keep_dims, shape, want) in cases {
            let y = run::<ReduceProd>(&x, axes, keep_dims, Spec::f32()).unwrap();
            assert_eq!((y.shape(), y.as_f32()), (shape, want.to_vec()), "{axes:?}");
        }
    }

    #[test]
    fn integers_wrap() {
        let product = |x: Tensor, y| run::<ReduceProd>(&x, &[0], false, y).unwrap();
        assert_eq!(product(Tensor::i32(&[2], &[1 << 20, 4097]), Spec::i32()).as_i32(), [1 << 20]);
        assert_eq!(product(Tensor::i64(&[2], &[1 << 20, 4097]), Spec::i64()).as_i64(), [4097 << 20]);
        // Without quantization.
        assert_eq!(product(Tensor::i8(&[2], &[100, 3]), Spec::of(I8)).as_i8(), [44]);
        assert_eq!(product(Tensor::u8(&[2], &[100, 3]), Spec::of(U8)).as_u8(), [44]);
        assert_eq!(product(Tensor::i16(&[2], &[-100, 3]), Spec::of(I16)).as_i16(), [-300]);
    }

    #[test]
    fn quantized_numbers() {
        // Real values 0.5 × (q - 2): 1, 2, 4 with the product 8; in steps of 1/8 from -3, that is 61.
        let x = Tensor::i8(&[3], &[4, 6, 10]).quantized(0.5, 2);
        assert_eq!(run::<ReduceProd>(&x, &[0], false, Spec::i8(0.125, -3)).unwrap().as_i8(), [61]);
        // Steps of 0.5 / √0.25 = 1: 30 × -20.
        let x = Tensor::i16(&[1, 2], &[30, -20]).quantized(0.5, 0);
        assert_eq!(run::<ReduceProd>(&x, &[1], true, Spec::i16(0.25, 0)).unwrap().as_i16(), [-600]);
        // The result saturates.
        let x = Tensor::i8(&[2], &[100, 100]).quantized(1.0, 0);
        assert_eq!(run::<ReduceProd>(&x, &[0], false, Spec::i8(1.0, 0)).unwrap().as_i8(), [127]);
        // For groups of one element the bytes are kept.
        let x = Tensor::i8(&[1, 2], &[10, 100]).quantized(1.0, 0);
        assert_eq!(run::<ReduceProd>(&x, &[0], false, Spec::i8(2.0, 7)).unwrap().as_i8(), [10, 100]);
    }

    #[test]
    fn empty_groups() {
        let y = run::<ReduceProd>(&Tensor::f32(&[0, 2], &[]), &[0], false, Spec::f32()).unwrap();
        assert_eq!(y.as_f32(), [1.0; 2]);
        let x = Tensor::i8(&[0], &[]).quantized(0.5, 2);
        assert_eq!(run::<ReduceProd>(&x, &[0], false, Spec::i8(0.25, 7)).unwrap().as_i8(), [11]);
    }

    #[test]
    fn refusals() {
        expect_refusals::<ReduceProd>(&Tensor::f32(&[2, 2], &[0.0; 4]), Spec::f32());
        let error = |x: Tensor, y| run::<ReduceProd>(&x, &[0], false, y).unwrap_err();
        let x = Tensor::i8(&[2], &[0, 0]).quantized(1.0, 0);
        assert!(error(x, Spec::i8(0.0, 0)).message().ends_with("scales must be above zero"));
    }
}
