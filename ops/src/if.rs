//! IF: runs one of two subgraphs on the inputs behind the condition; its outputs are the node's.
//!
//! The shapes are known beforehand if both subgraphs give the same ones.
//! Defined by: tflite/kernels/if.cc.

use arenite_abi::prelude::*;

use crate::kit::subgraph;

/// Prepared node: the subgraphs.
pub struct If {
    then: i32,
    otherwise: i32,
}

impl Op for If {
    const CODE: OpCode = OpCode::Builtin(118);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 0..=usize::MAX)?;
        subgraph::expect_truth(&node.input(0)?)?;
        let options = node.options(92)?;
        let (then, otherwise) = (options.get::<i32>(0, 0)?, options.get::<i32>(1, 0)?);
        let mut model = cx.model()?;
        for branch in [then, otherwise] {
            subgraph::expect_ports(&model, branch, node.input_count() - 1, node.output_count())?;
            subgraph::prepare(&mut model, node, 1, branch)?;
        }
        let known = subgraph::same_shapes(&model, then, otherwise, node.output_count())?;
        subgraph::declare_outputs(&model, node, cx, then, known)?;
        Ok(If { then, otherwise })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let branch = if subgraph::truth(&cx.input(0)?)? { self.then } else { self.otherwise };
        let mut model = cx.model()?;
        subgraph::run(&mut model, cx, 1, branch)?;
        subgraph::take_outputs(&model, cx, branch)
    }
}
