//! STABLEHLO_COMPOSITE: an op that is given by a subgraph of simpler ones, its decomposition.
//! Defined by: tflite/kernels/stablehlo_composite.cc.

use arenite_abi::prelude::*;

use crate::kit::subgraph;

/// Prepared node: the decomposition.
pub struct StablehloComposite {
    subgraph: i32,
}

impl Op for StablehloComposite {
    const CODE: OpCode = OpCode::Builtin(206);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let subgraph = node.options_2(21)?.get::<i32>(1, 0)?;
        let mut model = cx.model()?;
        subgraph::expect_ports(&model, subgraph, node.input_count(), node.output_count())?;
        subgraph::prepare(&mut model, node, 0, subgraph)?;
        subgraph::declare_outputs(&model, node, cx, subgraph, true)?;
        Ok(StablehloComposite { subgraph })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        subgraph::run(&mut model, cx, 0, self.subgraph)?;
        subgraph::take_outputs(&model, cx, self.subgraph)
    }
}
