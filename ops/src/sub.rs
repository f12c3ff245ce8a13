//! SUB: `y = activation(a - b)`, with broadcasting. f32, i32, i64; i8, u8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/sub.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::SubOptions;

use crate::kit::activation::Activation;
use crate::kit::binary;
use crate::kit::broadcast::Broadcast;
use crate::kit::node;
use crate::kit::scaled_pair::{Groups, QuantizedSum};

plain! {
    /// A prepared `SUB` node.
    pub struct Sub {
        broadcast: Broadcast<2>,
        arithmetic: Arithmetic,
    }
}

plain! {
    enum Arithmetic {
        Plain(Activation),
        Quantized(QuantizedSum),
    }
}

impl Op for Sub {
    const CODE: OpCode = OpCode::Builtin(op::SUB);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64, I8, U8, I16]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let activation = node::range_activation(options.get(SubOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        let by_powers = options.get(SubOptions::POT_SCALE_INT16)?;
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let y = &operands.y;
        let arithmetic = match y.ty {
            F32 | I32 | I64 => Arithmetic::Plain(activation),
            I8 | U8 | I16 => {
                Arithmetic::Quantized(QuantizedSum::new(&operands, by_powers, activation, Groups::NONE)?)
            }
            ty => return Err(Error::unsupported("SUB", ty)),
        };
        Ok(Sub { broadcast: operands.broadcast()?, arithmetic })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (ty, loops) = (cx.node().output(0)?.ty, &self.broadcast);
        match &self.arithmetic {
            Arithmetic::Plain(activation) => plain(cx, ty, loops, *activation),
            Arithmetic::Quantized(sum) => sum.map(cx, ty, loops, i32::wrapping_sub),
        }
    }
}

fn plain(cx: &EvalContext<'_>, ty: ElementType, loops: &Broadcast<2>, activation: Activation) -> Result<()> {
    match ty {
        F32 => binary::map(cx, loops, |a: f32, b: f32| activation.f32_range().clamp(a - b)),
        I32 => binary::map(cx, loops, |a: i32, b: i32| activation.i32_range().clamp(a.wrapping_sub(b))),
        I64 => binary::map(cx, loops, |a: i64, b: i64| activation.i64_range().clamp(a.wrapping_sub(b))),
        ty => Err(Error::unsupported("SUB", ty)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::activation;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(a: Tensor, b: Tensor, y: Spec) -> OpTest<Sub> {
        OpTest::new().input(a).input(b).output(y)
    }

    #[test]
    fn plain() {
        let (a, b) = (Tensor::f32(&[2, 1], &[1.0, -4.0]), Tensor::f32(&[2], &[0.5, 2.0]));
        let y = case(a, b, Spec::f32())
            .options(|o| o.set(SubOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU))
            .run()
            .unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 2][..], vec![0.5, 0.0, 0.0, 0.0]));
        let (a, b) = (Tensor::i32(&[2], &[i32::MIN, 5]), Tensor::i32(&[], &[1]));
        assert_eq!(case(a, b, Spec::i32()).in_place().run().unwrap()[0].as_i32(), [i32::MAX, 4]);
        let (a, b) = (Tensor::i64(&[1], &[1]), Tensor::i64(&[1], &[1 << 40]));
        assert_eq!(case(a, b, Spec::i64()).run().unwrap()[0].as_i64(), [1 - (1 << 40)]);
    }

    #[test]
    fn quantized() {
        // 0.5 (10 - 2) - 0.25 (-20 + 4) = 8.
        let a = Tensor::i8(&[1], &[10]).quantized(0.5, 2);
        let b = Tensor::i8(&[1], &[-20]).quantized(0.25, -4);
        assert_eq!(case(a, b, Spec::i8(0.5, -1)).in_place().run().unwrap()[0].as_i8(), [15]);
        // Powers of two: 1000 - round(3 / 2).
        let a = Tensor::i16(&[1], &[1000]).quantized(0.5, 0);
        let b = Tensor::i16(&[1], &[3]).quantized(0.25, 0);
        assert_eq!(case(a.clone(), b, Spec::i16(0.5, 0)).run().unwrap()[0].as_i16(), [998]);
        // The output scale is so fine that the factor is above one: 0.5 × 1000 - 0.75 × 100 = 425 = 1700 × 0.25.
        let b = Tensor::i16(&[1], &[100]).quantized(0.75, 0);
        assert_eq!(case(a, b, Spec::i16(0.25, 0)).run().unwrap()[0].as_i16(), [1700]);
        let tiny = |q| Tensor::i8(&[1], &[q]).quantized(1.0, 0);
        assert_eq!(case(tiny(1), tiny(0), Spec::i8(1e-8, 0)).run().unwrap()[0].as_i8(), [127]);
    }
}
