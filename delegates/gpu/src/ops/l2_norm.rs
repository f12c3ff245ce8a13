//! Rows scaled to length 1.

use arenite_abi::prelude::*;

use crate::kernels;
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::task::Task;

/// Adds the task of a layer.
pub(super) fn build<'a>(node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let layout = builder.layout_of(node.outputs[0]);
    let from = builder.view(node.inputs[0], layout)?;
    let to = builder.output(node.outputs[0], layout)?;
    let call = kernels::L2Norm { from: from.buffer, numbers: layout.numbers() };
    builder.push(Task::new(call, to.buffer, Vec::new(), [layout.rows, 1, 1])?);
    Ok(())
}
