//! CALL_ONCE: runs a subgraph in an interpreter's first invocation, to initialise variables and tables.
//! Defined by: tflite/kernels/call_once.cc.

use arenite_abi::prelude::*;

use crate::kit::subgraph;

/// Prepared node.
pub struct CallOnce {
    subgraph: i32,
    /// The resource that has a value when the subgraph has run.
    done: i32,
}

impl Op for CallOnce {
    const CODE: OpCode = OpCode::Builtin(129);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(0..=0, 0..=0)?;
        let subgraph = node.options(103)?.get::<i32>(0, 0)?;
        let mut model = cx.model()?;
        subgraph::expect_ports(&model, subgraph, 0, 0)?;
        let mut name = *b"CALL_ONCE \0\0\0\0";
        name[10..].copy_from_slice(&subgraph.to_le_bytes());
        let done = model.open_resource(&name)?;
        if model.resource(done)?.is_none() {
            model.prepare(subgraph)?;
        }
        Ok(CallOnce { subgraph, done })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        if model.resource(self.done)?.is_some() {
            return Ok(());
        }
        model.invoke(self.subgraph)?;
        model.assign_resource_slice(self.done, &[1u8])
    }
}
