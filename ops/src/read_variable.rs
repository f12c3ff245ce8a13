//! READ_VARIABLE: the value that was assigned to a variable. Its shape is the one in the model file; without one, it is
//! determined at run time.
//! Defined by: tflite/kernels/read_variable.cc.

use arenite_abi::prelude::*;

use crate::kit::{resource, subgraph};

plain! {
    /// A prepared `READ_VARIABLE` node.
    pub struct ReadVariable;
}

impl Op for ReadVariable {
    const CODE: OpCode = OpCode::Builtin(op::READ_VARIABLE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        resource::expect_handle(node, 0)?;
        let y = node.output(0)?;
        if y.shape.is_empty() || y.ty.bits() == 0 {
            cx.set_output_dynamic(0)?;
        } else {
            cx.set_output_shape(0, y.shape)?;
        }
        Ok(ReadVariable)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        let handle = resource::handle(&mut model, cx, 0)?;
        let y = cx.node().output(0)?;
        let value = model.resource(handle)?.ok_or_else(|| {
            invalid!("the variable is read before it was assigned (ASSIGN_VARIABLE), into {y}")
        })?;
        ensure!(
            value.ty == y.ty && (y.is_dynamic() || value.shape == y.shape),
            "the variable holds {}{:?}, {y} is {}{:?}; they must agree",
            value.ty,
            value.shape,
            y.ty,
            y.shape
        );
        subgraph::copy(cx, 0, &value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(handle: i32, y: Spec) -> OpTest<ReadVariable> {
        let handle = Tensor::raw(ElementType::Resource, &[1], &handle.to_le_bytes());
        OpTest::new().input(handle).output(y).resource(b"v", Tensor::i32(&[2], &[5, 6]))
    }

    #[test]
    fn values() {
        for y in [Spec::i32(), Spec::i32().shape(&[2])] {
            let y = case(0, y).run().unwrap().remove(0);
            assert_eq!((y.shape(), y.as_i32()), (&[2][..], vec![5, 6]));
        }
    }

    #[test]
    fn refusals() {
        let error = case(0, Spec::f32()).run().unwrap_err();
        assert_eq!(error.message(), "the variable holds INT32[2], 'out0' is FLOAT32[]; they must agree");
        let error = case(0, Spec::i32().shape(&[3])).run().unwrap_err();
        assert_eq!(error.message(), "the variable holds INT32[2], 'out0' is INT32[3]; they must agree");
    }
}
