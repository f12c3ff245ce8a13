//! NEG: `y = -x`, of the integers as they are stored. f32, f16, bf16, i8, i16, i32, i64. May run in place.
//! Defined by: tflite/kernels/neg.cc.

use arenite_abi::prelude::*;
use half::{bf16, f16};

use crate::kit::unary;

/// Prepared node.
pub struct Neg;

impl Op for Neg {
    const CODE: OpCode = OpCode::Builtin(59);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, BF16, I8, I16, I32, I64]);

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
