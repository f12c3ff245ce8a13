//! NEG: `y = -x`, without regard to quantization. f32, f16, bf16, i8, i16, i32, i64. Supports in-place operation.
//! Defined by: tflite/kernels/neg.cc.

use arenite_abi::prelude::*;
use half::{bf16, f16};

use crate::kit::unary;

plain! {
    /// A prepared `NEG` node.
    pub struct Neg;
}

impl Op for Neg {
    const CODE: OpCode = OpCode::Builtin(op::NEG);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16, I8, I16, I32, I64]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = unary::prepare(node, cx)?;
        match x.ty {
            F32 | F16 | BF16 | I8 | I16 | I32 | I64 => Ok(Neg),
            ty => Err(Error::unsupported("NEG", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => unary::map(cx, |x: f32| -x),
            F16 => unary::map(cx, |x: f16| -x),
            BF16 => unary::map(cx, |x: bf16| -x),
            I8 => unary::map(cx, i8::wrapping_neg),
            I16 => unary::map(cx, i16::wrapping_neg),
            I32 => unary::map(cx, i32::wrapping_neg),
            _ => unary::map(cx, i64::wrapping_neg),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor) -> Tensor {
        let y = Spec::of(x.ty());
        OpTest::<Neg>::new().input(x).output(y).in_place().run().unwrap().remove(0)
    }

    #[test]
    fn values() {
        assert_eq!(run(Tensor::f32(&[1, 3], &[1.5, 0.0, -2.0])).as_f32(), [-1.5, -0.0, 2.0]);
        assert_eq!(run(Tensor::f16(&[1], &[f16::ONE])).as_f16(), [f16::NEG_ONE]);
        assert_eq!(run(Tensor::bf16(&[1], &[bf16::ONE])).as_bf16(), [bf16::NEG_ONE]);
        assert_eq!(run(Tensor::i8(&[2], &[5, -128])).as_i8(), [-5, -128]);
        assert_eq!(run(Tensor::i16(&[2], &[5, i16::MIN])).as_i16(), [-5, i16::MIN]);
        assert_eq!(run(Tensor::i32(&[2], &[5, i32::MIN])).as_i32(), [-5, i32::MIN]);
        assert_eq!(run(Tensor::i64(&[], &[-1 << 40])).as_i64(), [1 << 40]);
    }
}
