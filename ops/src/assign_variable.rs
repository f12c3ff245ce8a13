//! ASSIGN_VARIABLE: sets the type, the shape and the value of a variable.
//! Defined by: tflite/kernels/assign_variable.cc.

use arenite_abi::prelude::*;

use crate::kit::resource;

plain! {
    /// A prepared `ASSIGN_VARIABLE` node.
    pub struct AssignVariable;
}

impl Op for AssignVariable {
    const CODE: OpCode = OpCode::Builtin(op::ASSIGN_VARIABLE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(2..=2, 0..=0)?;
        resource::expect_handle(node, 0)?;
        let value = node.input(1)?;
        if node.input(0)?.is_constant() {
            let mut model = cx.model()?;
            let handle = resource::handle_of(&mut model, &node.input(0)?)?;
            model.reserve_resource(handle, &value)?;
        }
        Ok(AssignVariable)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        let handle = resource::handle(&mut model, cx, 0)?;
        model.assign_resource(handle, &cx.input(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Tensor};

    #[test]
    fn assignment_sets_type_shape_and_value() {
        let value = Tensor::i16(&[1, 2], &[3, 4]);
        let handle = Tensor::raw(ElementType::Resource, &[1], &0i32.to_le_bytes());
        let case = OpTest::<AssignVariable>::new().input(handle).input(value.clone());
        let outcome = case.resource(b"v", Tensor::f32(&[], &[1.0])).run_with_variables().unwrap();
        assert_eq!(outcome.resources, [(b"v".to_vec(), value)]);
    }

    #[test]
    fn integers_name_variables_too() {
        let case = OpTest::<AssignVariable>::new().input(Tensor::i32(&[1], &[7]));
        let outcome = case.input(Tensor::f32(&[], &[1.0])).run_with_variables().unwrap();
        assert_eq!(outcome.resources[0].0, b"number \x07\0\0\0");
    }

    #[test]
    fn refusals() {
        let value = Tensor::f32(&[], &[1.0]);
        let case = |handle: Tensor| OpTest::<AssignVariable>::new().input(handle).input(value.clone()).run();
        let unknown = Tensor::raw(ElementType::Resource, &[], &5i32.to_le_bytes());
        assert_eq!(case(unknown).unwrap_err().message(), "resource handle 5 does not exist; 0 are open");
    }
}
