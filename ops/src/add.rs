//! ADD: `y = activation(a + b)`, with broadcasting. f32, f16, i32, i64, i16; i8, u8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/add.cc.

use arenite_abi::prelude::*;
use half::f16;

use crate::kit::activation::Activation;
use crate::kit::binary;
use crate::kit::broadcast::Broadcast;
use crate::kit::node;
use crate::kit::scaled_pair::{PowerOfTwoPair, ScaledPair};

/// Prepared node.
pub struct Add {
    broadcast: Broadcast<2>,
    arithmetic: Arithmetic,
}

enum Arithmetic {
    Plain(Activation),
    Scaled(ScaledPair),
    PowerOfTwo(PowerOfTwoPair),
}

const OPTIONS: u32 = 11;
const ACTIVATION: usize = 0;
const POWER_OF_TWO_SCALES: usize = 1;

impl Op for Add {
    const CODE: OpCode = OpCode::Builtin(0);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, I32, I64, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options(OPTIONS)?;
        let activation = node::range_activation(&options, ACTIVATION)?;
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let y = &operands.y;
        let arithmetic = match y.ty {
            F32 | F16 | I32 | I64 => Arithmetic::Plain(activation),
            I16 if y.quantization().is_none() => Arithmetic::Plain(activation),
            I8 | U8 => {
                let limits = node::quantized_range(activation, y)?;
                Arithmetic::Scaled(ScaledPair::linear(&operands, 20, limits)?)
            }
            I16 => {
                let limits = node::quantized_range(activation, y)?;
                [&operands.a, &operands.b, y].into_iter().try_for_each(node::symmetric)?;
                let power_of_two = match options.get(POWER_OF_TWO_SCALES, true)? {
                    true => PowerOfTwoPair::new(&operands, limits)?,
                    false => None,
                };
                match power_of_two {
                    Some(pair) => Arithmetic::PowerOfTwo(pair),
                    None => Arithmetic::Scaled(ScaledPair::linear(&operands, 15, limits)?),
                }
            }
            ty => return Err(Error::unsupported("ADD", ty)),
        };
        Ok(Add { broadcast: operands.broadcast, arithmetic })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (ty, loops) = (cx.node().output(0)?.ty, &self.broadcast);
        match (&self.arithmetic, ty) {
            (Arithmetic::Plain(activation), _) => plain(cx, ty, loops, *activation),
            (Arithmetic::Scaled(pair), I8) => pair.map::<i8>(cx, loops, i32::wrapping_add),
            (Arithmetic::Scaled(pair), U8) => pair.map::<u8>(cx, loops, i32::wrapping_add),
            (Arithmetic::Scaled(pair), _) => pair.map::<i16>(cx, loops, i32::wrapping_add),
            (Arithmetic::PowerOfTwo(pair), _) => pair.map(cx, loops, i32::wrapping_add),
        }
    }
}

fn plain(cx: &EvalContext<'_>, ty: ElementType, loops: &Broadcast<2>, activation: Activation) -> Result<()> {
    match ty {
        F32 => binary::map(cx, loops, |a: f32, b: f32| activation.f32_range().clamp(a + b)),
        F16 => binary::map(cx, loops, |a: f16, b: f16| {
            activation.f16_range().clamp(f16::from_f32(a.to_f32() + b.to_f32()))
        }),
        I32 => binary::map(cx, loops, |a: i32, b: i32| activation.i32_range().clamp(a.wrapping_add(b))),
        I64 => binary::map(cx, loops, |a: i64, b: i64| activation.i64_range().clamp(a.wrapping_add(b))),
        I16 => binary::map(cx, loops, |a: i16, b: i16| {
            activation.i32_range().clamp(a.wrapping_add(b).into()) as i16
        }),
        ty => Err(Error::unsupported("ADD", ty)),
    }
}
