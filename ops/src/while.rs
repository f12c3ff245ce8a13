//! WHILE: runs the body on its own outputs for as long as the condition holds.
//!
//! ```text
//! inputs ─► condition ─► false ─► outputs
//!    ▲          │ true
//!    └── body ◄─┘
//! ```
//! The shapes are known beforehand if the body keeps those of its inputs. The host bounds the number of rounds.
//! Defined by: tflite/kernels/while.cc.

use arenite_abi::prelude::*;

use crate::kit::subgraph;

/// Prepared node: the subgraphs.
pub struct While {
    condition: i32,
    body: i32,
}

impl Op for While {
    const CODE: OpCode = OpCode::Builtin(119);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let values = node.input_count();
        node.expect(0..=usize::MAX, values..=values)?;
        let options = node.options(93)?;
        let (condition, body) = (options.get::<i32>(0, 0)?, options.get::<i32>(1, 0)?);
        ensure!(condition != body, "its condition and its body are the same subgraph, {body}");
        let mut model = cx.model()?;
        subgraph::expect_ports(&model, condition, values, 1)?;
        subgraph::prepare(&mut model, node, 0, condition)?;
        let answer = model.output(condition, 0)?;
        if !answer.dynamic {
            subgraph::expect_truth(&answer.tensor)?;
        }
        subgraph::expect_ports(&model, body, values, values)?;
        subgraph::prepare(&mut model, node, 0, body)?;
        let known = keeps_shapes(&model, node, body)?;
        subgraph::declare_outputs(&model, node, cx, body, known)?;
        Ok(While { condition, body })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let While { condition, body } = *self;
        let mut model = cx.model()?;
        subgraph::run(&mut model, cx, 0, condition)?;
        if !subgraph::truth(&model.output(condition, 0)?.tensor)? {
            let outputs = cx.node().output_indices().iter().enumerate();
            return outputs.filter(|(_, t)| **t >= 0).try_for_each(|(i, _)| subgraph::copy(cx, i, &cx.input(i)?));
        }
        subgraph::run(&mut model, cx, 0, body)?;
        loop {
            model.forward(body, condition)?;
            model.invoke(condition)?;
            if !subgraph::truth(&model.output(condition, 0)?.tensor)? {
                return subgraph::take_outputs(&model, cx, body);
            }
            model.forward(body, body)?;
            model.invoke(body)?;
        }
    }
}

/// Whether each output of the body has the shape of the input that it becomes. A scalar and a vector of one element count
/// as one shape.
fn keeps_shapes(model: &ModelContext<'_>, node: &NodeView<'_>, body: i32) -> Result<bool> {
    for i in 0..node.input_count() {
        let (x, y) = (node.input(i)?, model.output(body, i)?);
        let single = |shape: &[i32]| matches!(shape, [] | [1]);
        let same = x.shape == y.tensor.shape || single(x.shape) && single(y.tensor.shape);
        if y.dynamic || !same {
            return Ok(false);
        }
    }
    Ok(true)
}
