//! ZEROS_LIKE: zeros in the shape of the input. f32, i32, i64. Supports in-place operation.
//! Defined by: tflite/kernels/zeros_like.cc.

use arenite_abi::prelude::*;

use crate::kit::number::Number;
use crate::kit::unary;

plain! {
    /// A prepared `ZEROS_LIKE` node.
    pub struct ZerosLike;
}

impl Op for ZerosLike {
    const CODE: OpCode = OpCode::Builtin(op::ZEROS_LIKE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = unary::prepare(node, cx)?;
        match x.ty {
            F32 | I32 | I64 => Ok(ZerosLike),
            ty => Err(Error::unsupported("ZEROS_LIKE", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => zero::<f32>(cx),
            I32 => zero::<i32>(cx),
            _ => zero::<i64>(cx),
        }
    }
}

fn zero<T: Number>(cx: &EvalContext<'_>) -> Result<()> {
    cx.output_cells::<T>(0)?.iter().for_each(|y| y.set(T::ZERO));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor) -> Tensor {
        let y = Spec::of(x.ty());
        OpTest::<ZerosLike>::new().input(x).output(y).in_place().run().unwrap().remove(0)
    }

    #[test]
    fn values() {
        assert_eq!(
            run(Tensor::f32(&[1, 2], &[f32::NAN, -1.0])),
            Tensor::f32(&[1, 2], &[0.0; 2]).named("out0")
        );
        assert_eq!(run(Tensor::i32(&[], &[7])).as_i32(), [0]);
        assert_eq!(run(Tensor::i64(&[3], &[7, -7, i64::MIN])).as_i64(), [0; 3]);
        assert_eq!(run(Tensor::i64(&[0, 3], &[])).shape(), [0, 3]);
    }
}
