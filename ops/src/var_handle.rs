//! VAR_HANDLE: the handle of the variable with this container and name, which all subgraphs share.
//! Defined by: tflite/kernels/var_handle.cc.

use arenite_abi::prelude::*;

use crate::kit::resource;

/// Prepared node: the handle is constant.
pub struct VarHandle;

impl Op for VarHandle {
    const CODE: OpCode = OpCode::Builtin(142);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options(111)?;
        let name = [b"variable", options.text(0)?.as_bytes(), options.text(1)?.as_bytes()];
        let shape = node.output(0)?.shape;
        ensure!(shape.iter().all(|&d| d == 1), "the handle's shape is {shape:?}; it is one number");
        resource::declare_handle(node, cx, shape, &name)?;
        Ok(VarHandle)
    }

    fn eval(&self, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }
}
