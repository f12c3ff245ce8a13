//! SQUARED_DIFFERENCE: `y = (a - b)²`, with broadcasting. f32, i32; i8 quantized. May run in place.
//! Defined by: tflite/kernels/squared_difference.cc.

use arenite_abi::prelude::*;

use crate::kit::binary;
use crate::kit::broadcast::Broadcast;
use crate::kit::integer::Quantized;
use crate::kit::scaled_pair::ScaledPair;

/// Prepared node.
pub struct SquaredDifference {
    broadcast: Broadcast<2>,
    scaled: Option<ScaledPair>,
}

impl Op for SquaredDifference {
    const CODE: OpCode = OpCode::Builtin(99);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I8]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let scaled = match operands.y.ty {
            F32 | I32 => None,
            I8 => Some(ScaledPair::quadratic(&operands, 7, i8::LIMITS)?),
            ty => return Err(Error::unsupported("SQUARED_DIFFERENCE", ty)),
        };
        Ok(SquaredDifference { broadcast: operands.broadcast, scaled })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let loops = &self.broadcast;
        if let Some(pair) = &self.scaled {
            return pair.map::<i8>(cx, loops, squared_difference);
        }
        match cx.node().output(0)?.ty {
            F32 => binary::map(cx, loops, |a: f32, b: f32| (a - b) * (a - b)),
            _ => binary::map(cx, loops, squared_difference),
        }
    }
}

fn squared_difference(a: i32, b: i32) -> i32 {
    let difference = a.wrapping_sub(b);
    difference.wrapping_mul(difference)
}
