//! GELU: `y = x × Φ(x)`, exact by erfc or approximated by tanh. f32, f16; i8, u8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/activations.cc and reference/gelu.h.

use arenite_abi::prelude::*;
use half::f16;

use crate::kit::float;
use crate::kit::table::FunctionTable;
use crate::kit::unary;

/// Prepared node.
pub struct Gelu {
    formula: fn(f32) -> f32,
    table: Option<FunctionTable>,
}

const OPTIONS: u32 = 116;

impl Op for Gelu {
    const CODE: OpCode = OpCode::Builtin(150);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, I8, U8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let formula = match node.options(OPTIONS)?.get(0, false)? {
            true => float::gelu_approximate,
            false => float::gelu,
        };
        let (x, y) = unary::prepare(node, cx)?;
        let table = match x.ty {
            F32 | F16 => None,
            _ => Some(FunctionTable::prepare(&x, &y, cx, formula)?),
        };
        Ok(Gelu { formula, table })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (&self.table, cx.node().output(0)?.ty) {
            (Some(table), _) => table.eval(cx),
            (None, F16) => unary::map(cx, |x: f16| f16::from_f32((self.formula)(x.to_f32()))),
            (None, _) => unary::map(cx, self.formula),
        }
    }
}
