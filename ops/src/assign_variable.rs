//! ASSIGN_VARIABLE: gives a variable a type, a shape and a value.
//! Defined by: tflite/kernels/assign_variable.cc.

use arenite_abi::prelude::*;

use crate::kit::resource;

/// Prepared node.
pub struct AssignVariable;

impl Op for AssignVariable {
    const CODE: OpCode = OpCode::Builtin(144);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, _: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(2..=2, 0..=0)?;
        resource::expect_handle(node, 0)?;
        node.input(1)?;
        Ok(AssignVariable)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        let handle = resource::handle(&mut model, cx, 0)?;
        model.assign_resource(handle, &cx.input(1)?)
    }
}
