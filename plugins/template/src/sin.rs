//! Custom op Sin: `y = sin(x)`, f32. The output may overwrite the input.

use arenite_abi::prelude::*;

/// A prepared node; it needs no data.
pub struct Sin;

impl Op for Sin {
    const CODE: OpCode = OpCode::Custom("Sin");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const SHARING: Sharing = Sharing::InPlace;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        ensure!(x.ty == y.ty, "input is {}, but output is {}", x.ty, y.ty);
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        Ok(Sin)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
        for (y, x) in y.iter().zip(x.iter()) {
            y.set(x.sin());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn sine_of_each_element() {
        let x = [0.0, 0.5, -1.0, 3.0, 100.0, -0.0];
        let test = OpTest::<Sin>::new().input(Tensor::f32(&[2, 3], &x)).output(Spec::f32());
        for outputs in [test.clone().run().unwrap(), test.in_place().run().unwrap()] {
            assert_eq!(outputs[0].as_f32(), x.map(f32::sin));
        }
    }

    #[test]
    fn only_f32_is_supported() {
        let test = OpTest::<Sin>::new().input(Tensor::f32(&[1], &[0.0])).output(Spec::of(I32));
        assert_eq!(test.run().unwrap_err().message(), "'out0' is INT32, which the op does not register");
    }

    #[test]
    fn one_input_is_required() {
        let error = OpTest::<Sin>::new().output(Spec::f32()).run().unwrap_err();
        assert_eq!(error.message(), "it has 0 inputs, this op takes 1 to 1");
    }
}
