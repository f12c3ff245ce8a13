//! RSQRT: `y = 1 / √x`. f32; i8, i16 quantized. Supports in-place operation.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

use crate::kit::fixed_point::inverse_sqrt;
use crate::kit::quantized::Quantized;
use crate::kit::requantize::Multiplier;
use crate::kit::table::FunctionTable;
use crate::kit::{float, node, unary};

plain! {
    /// A prepared `RSQRT` node.
    pub enum Rsqrt {
        /// The kernel for f32.
        Real,
        /// The kernel for i8.
        Scaled(QuantizedRsqrt),
        /// The kernel for i16; the input's zero point is 0.
        Table(FunctionTable),
    }
}

plain! {
    /// Computes `y = 1/√(q − zx) × factor + zy`, with `factor = 1 / (√sx × sy)`.
    pub struct QuantizedRsqrt {
        input_zero_point: i32,
        output_zero_point: i32,
        factor: Multiplier,
    }
}

/// The number of fraction bits of the fixed-point `1/√q`.
const FRACTION_BITS: i32 = 20;

impl Op for Rsqrt {
    const CODE: OpCode = OpCode::Builtin(op::RSQRT);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        match x.ty {
            F32 => Ok(Rsqrt::Real),
            I8 => QuantizedRsqrt::new(&x, &y).map(Rsqrt::Scaled),
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

impl QuantizedRsqrt {
    fn new(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<Self> {
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        let factor = node::multiplier(1.0 / f64::from(float::sqrt(from.scale) * to.scale), x, y)?;
        Ok(QuantizedRsqrt { input_zero_point: from.zero_point, output_zero_point: to.zero_point, factor })
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

/// Zero is accepted: it gives the largest output.
fn positive(x: i32) -> Result<()> {
    ensure!(
        x >= 0,
        "the input is {x} steps from its zero; the inverse root of a negative number is not defined"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec) -> OpTest<Rsqrt> {
        OpTest::new().input(x).output(y)
    }

    #[test]
    fn values() {
        let y = case(Tensor::f32(&[3], &[4.0, 0.0, 0.25]), Spec::f32()).in_place().run().unwrap();
        assert_eq!(y[0].as_f32(), [0.5, f32::INFINITY, 2.0]);
        // 1/√(0.25 × 16) = 0.5 and 1/√(0.25 × 100) = 0.2, in steps of 0.01; zero gives the largest output.
        let x = Tensor::i8(&[3], &[16, 100, 0]).quantized(0.25, 0);
        assert_eq!(case(x, Spec::i8(0.01, -10)).run().unwrap()[0].as_i8(), [40, 10, 127]);
        let x = Tensor::i16(&[2], &[16384, 4096]).quantized(1.0 / 4096.0, 0);
        let y = case(x, Spec::i16(1.0 / 8192.0, 0)).run().unwrap()[0].as_i16();
        assert!((y[0] - 4096).abs() <= 1 && (y[1] - 8192).abs() <= 8, "{y:?}");
    }
}
