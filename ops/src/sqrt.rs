//! SQRT: `y = √x`. f32; i8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::quantized::Quantized;
use crate::kit::requantize::Quant;
use crate::kit::{float, node, unary};

plain! {
    /// A prepared `SQRT` node: the quantization of input and output, if the type has one.
    pub struct Sqrt(Maybe<[Quant; 2]>);
}

impl Op for Sqrt {
    const CODE: OpCode = OpCode::Builtin(op::SQRT);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        match x.ty {
            F32 => Ok(Sqrt(Maybe::Absent)),
            I8 | I16 => {
                if x.ty == I16 {
                    [&x, &y].into_iter().try_for_each(node::symmetric)?;
                }
                Ok(Sqrt(Maybe::Present([node::quant(&x)?, node::quant(&y)?])))
            }
            ty => Err(Error::unsupported("SQRT", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (cx.node().output(0)?.ty, self.0.get()) {
            (I8, Some([from, to])) => unary::try_map(cx, |q: i8| quantized(q, from, to)),
            (I16, Some([from, to])) => unary::try_map(cx, |q: i16| quantized(q, from, to)),
            _ => unary::map(cx, float::sqrt),
        }
    }
}

/// Computes the square root, rounded towards zero.
fn quantized<T: Quantized>(q: T, from: Quant, to: Quant) -> Result<T> {
    let x = from.dequantize(q.into());
    ensure!(x >= 0.0, "the input holds {x}; the square root of a negative number is not defined");
    Ok(T::saturate(((float::sqrt(x) / to.scale) as i32).saturating_add(to.zero_point)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec) -> OpTest<Sqrt> {
        OpTest::new().input(x).output(y)
    }

    #[test]
    fn values() {
        let y = case(Tensor::f32(&[3], &[4.0, 0.0, 2.0]), Spec::f32()).in_place().run().unwrap();
        assert_eq!(y[0].as_f32(), [2.0, 0.0, core::f32::consts::SQRT_2]);
        // √(0.5 × 10) = 2.236 is truncated to 8 steps of 0.25.
        let x = Tensor::i8(&[2], &[8, -2]).quantized(0.5, -2);
        assert_eq!(case(x, Spec::i8(0.25, 1)).run().unwrap()[0].as_i8(), [9, 1]);
        let x = Tensor::i16(&[1], &[32_000]).quantized(2.0, 0);
        assert_eq!(case(x, Spec::i16(1.0, 0)).run().unwrap()[0].as_i16(), [252]);
    }
}
