//! RSQRT: `y = 1 / √x`. f32; i8, i16 quantized. May run in place.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::fixed_point::inverse_sqrt;
use crate::kit::integer::Quantized;
use crate::kit::requantize::Multiplier;
use crate::kit::table::FunctionTable;
use crate::kit::{float, node, unary};

/// Prepared node.
pub enum Rsqrt {
    /// f32.
    Real,
    /// i8.
    Scaled(Scaled),
    /// i16; the input's zero point is 0.
    Table(FunctionTable),
}

/// `y = 1/√(q − zx) × factor + zy`, with `factor = 1 / (√sx × sy)`.
pub struct Scaled {
    input_zero_point: i32,
    output_zero_point: i32,
    factor: Multiplier,
}

/// Bits that keep `1/√q` whole.
const FRACTION_BITS: i32 = 20;

impl Op for Rsqrt {
    const CODE: OpCode = OpCode::Builtin(76);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        match x.ty {
            F32 => Ok(Rsqrt::Real),
            I8 => Scaled::new(&x, &y).map(Rsqrt::Scaled),
            I16 => {
                [&x, &y].into_iter().try_for_each(node::symmetric)?;
                let largest = f32::from(i16::MAX) * node::quant(&y)?.scale;
                let function = |x: f32| if x <= 0.0 { largest } else { float::rsqrt(x) };
                FunctionTable::prepare(&x, &y, cx, function).map(Rsqrt::Table)
            }
            ty => Err(Error::unsupported("RSQRT", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match self {
            Rsqrt::Real => unary::map(cx, float::rsqrt),
            Rsqrt::Scaled(scaled) => unary::try_map(cx, |q: i8| scaled.apply(q)),
            Rsqrt::Table(table) => {
                cx.input_cells::<i16>(0)?.iter().try_for_each(|q| positive(q.into()))?;
                table.eval(cx)
            }
        }
    }
}

impl Scaled {
    fn new(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<Self> {
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        let factor = node::multiplier(1.0 / f64::from(float::sqrt(from.scale) * to.scale), x, y)?;
        Ok(Scaled { input_zero_point: from.zero_point, output_zero_point: to.zero_point, factor })
    }

    fn apply(&self, q: i8) -> Result<i8> {
        let x = i32::from(q).wrapping_sub(self.input_zero_point);
        positive(x)?;
        if x == 0 {
            return Ok(i8::MAX);
        }
        let inverse = inverse_sqrt(x);
        let inverse = Multiplier { shift: inverse.shift + FRACTION_BITS, ..inverse }.apply(1);
        let factor = Multiplier { shift: self.factor.shift - FRACTION_BITS, ..self.factor };
        Ok(i8::saturate(factor.apply(inverse).wrapping_add(self.output_zero_point)))
    }
}

/// Zero is let through: it gives the largest output.
fn positive(x: i32) -> Result<()> {
    ensure!(x >= 0, "the input is {x} steps from its zero; the inverse root of a negative number is not defined");
    Ok(())
}
