//! SQUARED_DIFFERENCE: `y = (a - b)²`, with broadcasting. f32, i32; i8 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/squared_difference.cc.

use arenite_abi::prelude::*;

use crate::kit::binary;
use crate::kit::broadcast::Broadcast;
use crate::kit::quantized::Quantized;
use crate::kit::scaled_pair::ScaledPair;

plain! {
    /// A prepared `SQUARED_DIFFERENCE` node.
    pub struct SquaredDifference {
        broadcast: Broadcast<2>,
        scaled: Maybe<ScaledPair>,
    }
}

impl Op for SquaredDifference {
    const CODE: OpCode = OpCode::Builtin(op::SQUARED_DIFFERENCE);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I8]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        let scaled = match operands.y.ty {
            F32 | I32 => None,
            I8 => Some(ScaledPair::quadratic(&operands, 7, i8::LIMITS)?),
            ty => return Err(Error::unsupported("SQUARED_DIFFERENCE", ty)),
        };
        Ok(SquaredDifference { broadcast: operands.broadcast()?, scaled: scaled.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let loops = &self.broadcast;
        if let Some(pair) = self.scaled.as_ref() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(a: Tensor, b: Tensor, y: Spec) -> OpTest<SquaredDifference> {
        OpTest::new().input(a).input(b).output(y)
    }

    #[test]
    fn values() {
        let (a, b) = (Tensor::f32(&[2], &[1.0, -4.0]), Tensor::f32(&[], &[0.5]));
        assert_eq!(case(a, b, Spec::f32()).in_place().run().unwrap()[0].as_f32(), [0.25, 20.25]);
        let (a, b) = (Tensor::i32(&[2], &[1, 1 << 16]), Tensor::i32(&[2], &[4, 0]));
        assert_eq!(case(a, b, Spec::i32()).run().unwrap()[0].as_i32(), [9, 0]);
        // (0.5 (10 - 2) - 0.25 (-20 + 4))² = 64 is 128 steps of 0.5 and saturates; (0.5 × 1 - 0.25 × 4)² = 0.25 rounds
        // up.
        let a = Tensor::i8(&[2], &[10, 3]).quantized(0.5, 2);
        let b = Tensor::i8(&[2], &[-20, 0]).quantized(0.25, -4);
        assert_eq!(case(a, b, Spec::i8(0.5, 0)).run().unwrap()[0].as_i8(), [127, 1]);
    }
}
