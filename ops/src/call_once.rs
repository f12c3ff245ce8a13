//! CALL_ONCE: runs a subgraph during the first invocation of an interpreter, to initialize variables and tables.
//! Defined by: tflite/kernels/call_once.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::CallOnceOptions;

use crate::kit::subgraph;

plain! {
    /// A prepared `CALL_ONCE` node.
    pub struct CallOnce {
        subgraph: i32,
        /// A resource that gets a value once the subgraph has run.
        done: i32,
    }
}

impl Op for CallOnce {
    const CODE: OpCode = OpCode::Builtin(op::CALL_ONCE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(0..=0, 0..=0)?;
        let subgraph = node.options()?.get(CallOnceOptions::INIT_SUBGRAPH_INDEX)?;
        let mut model = cx.model()?;
        subgraph::expect_ports(&model, subgraph, 0, 0)?;
        let mut name = *b"CALL_ONCE \0\0\0\0";
        name[10..].copy_from_slice(&subgraph.to_le_bytes());
        let done = model.open_resource(&name)?;
        if model.resource(done)?.is_none() {
            model.prepare(subgraph)?;
        }
        model.reserve_resource_slice::<u8>(done, 1)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Subgraph, Tensor};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// The number of times that the subgraph runs in `eval`; `prepare` only asks for its shapes.
    fn runs(case: OpTest<CallOnce>) -> u32 {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        let subgraph = Subgraph::new(&[], move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            Vec::new()
        });
        case.options(|o| o.set(CallOnceOptions::INIT_SUBGRAPH_INDEX, 0)).subgraph(subgraph).run().unwrap();
        count.load(Ordering::Relaxed)
    }

    #[test]
    fn it_runs_only_once() {
        let ran = OpTest::new().resource(b"CALL_ONCE \0\0\0\0", Tensor::u8(&[1], &[1]));
        assert_eq!(runs(OpTest::new()), runs(ran) + 2);
    }

    #[test]
    fn refusals() {
        let subgraph = Subgraph::new(&[Tensor::f32(&[], &[0.0])], |_| Vec::new());
        let case = OpTest::<CallOnce>::new()
            .options(|o| o.set(CallOnceOptions::INIT_SUBGRAPH_INDEX, 0))
            .subgraph(subgraph);
        assert_eq!(
            case.run().unwrap_err().message(),
            "subgraph 0 has 1 inputs and 0 outputs, the node passes 0 and takes 0; they must agree"
        );
    }
}
