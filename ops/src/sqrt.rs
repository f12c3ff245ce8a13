//! SQRT: `y = √x`. f32. May run in place.
//! Defined by: tflite/kernels/elementwise.cc.

use arenite_abi::prelude::*;

/// Prepared node.
pub struct Sqrt;

impl Op for Sqrt {
    const CODE: OpCode = OpCode::Builtin(75);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        ensure!(x.ty == y.ty, "input is {}, output is {}", x.ty, y.ty);
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        Ok(Sqrt)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
        for (y, x) in y.iter().zip(x.iter()) {
            y.set(libm::sqrtf(x));
        }
        Ok(())
    }
}
