//! SQRT: `y = √x`. f32; i8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::integer::Quantized;
use crate::kit::requantize::Quant;
use crate::kit::{float, node, unary};

/// Prepared node: the quantization of both ends, if the type has one.
pub struct Sqrt(Option<(Quant, Quant)>);

impl Op for Sqrt {
    const CODE: OpCode = OpCode::Builtin(75);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        match x.ty {
            F32 => Ok(Sqrt(None)),
            I8 | I16 => {
                if x.ty == I16 {
                    [&x, &y].into_iter().try_for_each(node::symmetric)?;
                }
                Ok(Sqrt(Some((node::quant(&x)?, node::quant(&y)?))))
            }
            ty => Err(Error::unsupported("SQRT", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (cx.node().output(0)?.ty, self.0) {
            (I8, Some((from, to))) => unary::try_map(cx, |q: i8| quantized(q, from, to)),
            (I16, Some((from, to))) => unary::try_map(cx, |q: i16| quantized(q, from, to)),
            _ => unary::map(cx, float::sqrt),
        }
    }
}

/// The result is rounded towards zero.
fn quantized<T: Quantized>(q: T, from: Quant, to: Quant) -> Result<T> {
    let x = from.dequantize(q.into());
    ensure!(x >= 0.0, "the input holds {x}; the square root of a negative number is not defined");
    Ok(T::saturate(((float::sqrt(x) / to.scale) as i32).saturating_add(to.zero_point)))
}
