//! PRELU: `y = x ≥ 0 ? x : alpha × x`, where alpha broadcasts to the shape of `x`. f32; i8, u8 quantized, i16 quantized
//! with an alpha of i8. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc and reference/prelu.h.

use arenite_abi::prelude::*;

use crate::kit::broadcast::Broadcast;
use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::Multiplier;

plain! {
    /// A prepared `PRELU` node.
    pub struct Prelu {
        broadcast: Broadcast<2>,
        /// The scales of quantized tensors; `None` for f32.
        scaled: Maybe<QuantizedPrelu>,
    }
}

plain! {
    struct QuantizedPrelu {
        input_zero_point: i32,
        alpha_zero_point: i32,
        output_zero_point: i32,
        positive: Multiplier,
        negative: Multiplier,
    }
}

impl Op for Prelu {
    const CODE: OpCode = OpCode::Builtin(op::PRELU);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, alpha, y) = node.binary()?;
        node::same_type(&x, &y)?;
        let scaled = match (x.ty, alpha.ty) {
            (F32, F32) => None,
            (I8, I8) | (U8, U8) | (I16, I8 | I16) => Some(QuantizedPrelu::new(&x, &alpha, &y)?),
            (x, alpha) => return Err(unsupported!("no kernel for inputs of {x} and an alpha of {alpha}")),
        };
        let (x_dims, alpha_dims) = (node::dims(&x)?, node::dims(&alpha)?);
        let broadcast = Broadcast::onto([&x_dims, &alpha_dims], &x_dims).ok_or_else(|| {
            invalid!("alpha {alpha} {:?} does not broadcast to input {x} {:?}", alpha.shape, x.shape)
        })?;
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        Ok(Prelu { broadcast, scaled: scaled.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (loops, alpha) = (&self.broadcast, cx.input(1)?);
        match (cx.node().output(0)?.ty, self.scaled.as_ref()) {
            (I8, Some(scaled)) => map(cx, loops, alpha.bytes(), |x: i8, a| scaled.value(x, (a as i8).into())),
            (U8, Some(scaled)) => map(cx, loops, alpha.bytes(), |x: u8, a| scaled.value(x, a.into())),
            // An i16 alpha is read as bytes, from its first byte, as in TFLite.
            (I16, Some(scaled)) => {
                map(cx, loops, alpha.bytes(), |x: i16, a| scaled.value(x, (a as i8).into()))
            }
            _ => map(cx, loops, alpha.as_slice()?, |x: f32, a: f32| if x >= 0.0 { x } else { x * a }),
        }
    }
}

fn map<X: Element, A: Copy>(
    cx: &EvalContext<'_>,
    broadcast: &Broadcast<2>,
    alpha: &[A],
    value: impl Fn(X, A) -> X,
) -> Result<()> {
    let (x, y) = (cx.input_cells::<X>(0)?, cx.output_cells::<X>(0)?);
    broadcast.for_each2(|i, ix, ia| y[i].set(value(x.get(ix), alpha[ia])));
    Ok(())
}

impl QuantizedPrelu {
    fn new(x: &TensorView<'_>, alpha: &TensorView<'_>, y: &TensorView<'_>) -> Result<Self> {
        let (from, by, to) = (node::quant(x)?, node::quant(alpha)?, node::quant(y)?);
        Ok(QuantizedPrelu {
            input_zero_point: from.zero_point,
            alpha_zero_point: by.zero_point,
            output_zero_point: to.zero_point,
            positive: node::multiplier(f64::from(from.scale / to.scale), x, y)?,
            negative: node::multiplier(f64::from(from.scale * by.scale / to.scale), x, y)?,
        })
    }

    fn value<T: Quantized>(&self, x: T, alpha: i32) -> T {
        let x = x.into().wrapping_sub(self.input_zero_point);
        let scaled = match x >= 0 {
            true => self.positive.apply(x),
            false => self.negative.apply(x.wrapping_mul(alpha.wrapping_sub(self.alpha_zero_point))),
        };
        T::saturate(scaled.wrapping_add(self.output_zero_point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, alpha: Tensor, y: Spec) -> Tensor {
        OpTest::<Prelu>::new().input(x).input(alpha).output(y).in_place().run().unwrap().remove(0)
    }

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 2], &[-2.0, 3.0, -0.0, -4.0]);
        let y = run(x.clone(), Tensor::f32(&[2], &[0.5, -0.25]), Spec::f32());
        assert_eq!((y.shape(), y.as_f32()), (&[2, 2][..], vec![-1.0, 3.0, 0.0, 1.0]));
        let y = run(x, Tensor::f32(&[2, 2], &[1.0, 2.0, 3.0, 0.5]), Spec::f32());
        assert_eq!(y.as_f32(), [-2.0, 3.0, 0.0, -2.0]);
        assert!(
            run(Tensor::f32(&[1], &[f32::NAN]), Tensor::f32(&[], &[0.0]), Spec::f32()).as_f32()[0].is_nan()
        );
    }

    #[test]
    fn quantized() {
        // 0.5 (q - 2) gives -8, 0, 4; alpha 0.25 (q + 4) gives 0.25, 1, 2. -8 × 0.25 = -2, eight steps of 0.25 below 1.
        let x = Tensor::i8(&[3], &[-14, 2, 10]).quantized(0.5, 2);
        let alpha = Tensor::i8(&[3], &[-3, 0, 4]).quantized(0.25, -4);
        assert_eq!(run(x, alpha, Spec::i8(0.25, 1)).as_i8(), [-7, 1, 17]);
        let x = Tensor::u8(&[3], &[118, 138, 0]).quantized(1.0, 128);
        let alpha = Tensor::u8(&[1], &[129]).quantized(0.5, 128);
        assert_eq!(run(x, alpha, Spec::u8(1.0, 128)).as_u8(), [123, 138, 64]);
        let x = Tensor::i16(&[2], &[-1000, 1000]).quantized(1.0, 0);
        let alpha = Tensor::i8(&[1], &[-1]).quantized(0.125, 0);
        assert_eq!(run(x.clone(), alpha, Spec::i16(0.5, 0)).as_i16(), [250, 2000]);
        // The bytes of 0x0201 are 1 and 2.
        let alpha = Tensor::i16(&[2], &[0x0201, 0x0403]).quantized(0.125, 0);
        let x = Tensor::i16(&[2], &[-1000, -1000]).quantized(1.0, 0);
        assert_eq!(run(x, alpha, Spec::i16(0.5, 0)).as_i16(), [-250, -500]);
    }
}
