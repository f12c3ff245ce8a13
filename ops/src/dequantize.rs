//! DEQUANTIZE: `y = scale × (q - zero_point)`, per tensor or per channel. i2, i4, u4, i8, u8, i16; f16 to f32.
//! Defined by: tflite/kernels/dequantize.{cc,h}.

use arenite_abi::prelude::*;
use half::f16;

use crate::kit::integer::Quantized;
use crate::kit::packed;
use crate::kit::per_channel::Channels;
use crate::kit::{node, unary};

/// Prepared node; f16 has no channels.
pub struct Dequantize(Option<Channels>);

impl Op for Dequantize {
    const CODE: OpCode = OpCode::Builtin(6);
    const VERSIONS: RangeInclusive<i32> = 1..=9;
    const TYPES: ElementTypes = ElementTypes::of(&[I2, I4, U4, I8, U8, I16, F16, F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare_types(node, cx)?;
        ensure!(y.ty == F32, "output '{}' is {}; it must be FLOAT32", y.name, y.ty);
        match x.ty {
            F16 => Ok(Dequantize(None)),
            I2 | I4 | U4 | I8 | U8 | I16 => {
                if x.ty == I16 {
                    node::symmetric(&x)?;
                }
                Channels::new(&x, x.shape).map(|channels| Dequantize(Some(channels)))
            }
            ty => Err(Error::unsupported("DEQUANTIZE", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.node().input(0)?;
        let (Some(channels), Some(q)) = (&self.0, x.quantization()) else {
            return unary::map(cx, |x: f16| x.to_f32());
        };
        match x.ty {
            I8 => map::<i8>(cx, channels, &q),
            U8 => map::<u8>(cx, channels, &q),
            I16 => map::<i16>(cx, channels, &q),
            ty => {
                let bytes = cx.input(0)?.bytes();
                for (i, y) in cx.output(0)?.into_slice::<f32>()?.iter_mut().enumerate() {
                    *y = channels.quant(&q, i).dequantize(packed::read(ty, bytes, i));
                }
                Ok(())
            }
        }
    }
}

fn map<T: Quantized>(cx: &EvalContext<'_>, channels: &Channels, q: &Quantization<'_>) -> Result<()> {
    unary::map_indexed(cx, |i, x: T| channels.quant(q, i).dequantize(x.into()))
}
