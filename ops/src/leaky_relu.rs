//! LEAKY_RELU: `y = x > 0 ? x : alpha × x`. f32; i8, u8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/activations.cc and reference/leaky_relu.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::LeakyReluOptions;

use crate::kit::node;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::Multiplier;
use crate::kit::unary;

plain! {
    /// A prepared `LEAKY_RELU` node.
    pub struct LeakyRelu {
        alpha: f32,
        quantized: Maybe<QuantizedLeakyRelu>,
    }
}

plain! {
    struct QuantizedLeakyRelu {
        input_zero_point: i32,
        output_zero_point: i32,
        positive: Multiplier,
        /// The multiplier for `|alpha|`; `sign` is the sign of `alpha`.
        negative: Multiplier,
        sign: i32,
    }
}

impl Op for LeakyRelu {
    const CODE: OpCode = OpCode::Builtin(op::LEAKY_RELU);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let alpha = node.options()?.get(LeakyReluOptions::ALPHA)?;
        let (x, y) = unary::prepare(node, cx)?;
        let quantized = match x.ty {
            F32 => None,
            I8 | U8 | I16 => Some(QuantizedLeakyRelu::new(&x, &y, alpha)?),
            ty => return Err(Error::unsupported("LEAKY_RELU", ty)),
        };
        Ok(LeakyRelu { alpha, quantized: quantized.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (cx.node().output(0)?.ty, self.quantized.as_ref()) {
            (I8, Some(scaled)) => scaled.map::<i8>(cx),
            (U8, Some(scaled)) => scaled.map::<u8>(cx),
            (I16, Some(scaled)) => scaled.map::<i16>(cx),
            _ => unary::map(cx, |x: f32| if x > 0.0 { x } else { x * self.alpha }),
        }
    }
}

impl QuantizedLeakyRelu {
    fn new(x: &TensorView<'_>, y: &TensorView<'_>, alpha: f32) -> Result<Self> {
        ensure!(alpha.is_finite(), "alpha is {alpha}; it must be finite");
        if x.ty == I16 {
            [x, y].into_iter().try_for_each(node::symmetric)?;
        }
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        Ok(QuantizedLeakyRelu {
            input_zero_point: from.zero_point,
            output_zero_point: to.zero_point,
            positive: node::multiplier(f64::from(from.scale / to.scale), x, y)?,
            negative: node::multiplier(f64::from((from.scale * alpha / to.scale).abs()), x, y)?,
            sign: if alpha < 0.0 { -1 } else { 1 },
        })
    }

    fn map<T: Quantized>(&self, cx: &EvalContext<'_>) -> Result<()> {
        unary::map(cx, |q: T| {
            let x = q.into().wrapping_sub(self.input_zero_point);
            let scaled = match x >= 0 {
                true => self.positive.apply(x),
                false => self.negative.apply(x).wrapping_mul(self.sign),
            };
            T::saturate(scaled.wrapping_add(self.output_zero_point))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec, alpha: f32) -> OpTest<LeakyRelu> {
        OpTest::new().input(x).output(y).options(|o| o.set(LeakyReluOptions::ALPHA, alpha))
    }

    #[test]
    fn values() {
        let x = Tensor::f32(&[3], &[-2.0, 0.0, 3.0]);
        assert_eq!(
            case(x.clone(), Spec::f32(), 0.25).in_place().run().unwrap()[0].as_f32(),
            [-0.5, 0.0, 3.0]
        );
        assert_eq!(case(x, Spec::f32(), -2.0).run().unwrap()[0].as_f32(), [4.0, -0.0, 3.0]);
        // 0.5 (q - 2) gives -8, 0, 4; a quarter of -8 is -2.
        let x = Tensor::i8(&[3], &[-14, 2, 10]).quantized(0.5, 2);
        assert_eq!(case(x.clone(), Spec::i8(0.25, 1), 0.25).run().unwrap()[0].as_i8(), [-7, 1, 17]);
        assert_eq!(case(x, Spec::i8(0.25, 1), -0.25).run().unwrap()[0].as_i8(), [9, 1, 17]);
        let x = Tensor::i16(&[2], &[-1000, 1000]).quantized(1.0, 0);
        assert_eq!(case(x, Spec::i16(0.5, 0), 0.125).run().unwrap()[0].as_i16(), [-250, 2000]);
        let x = Tensor::u8(&[2], &[118, 138]).quantized(1.0, 128);
        assert_eq!(case(x, Spec::u8(1.0, 128), 0.5).run().unwrap()[0].as_u8(), [123, 138]);
    }
}
