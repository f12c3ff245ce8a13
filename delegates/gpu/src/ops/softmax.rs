//! Softmax along rows, or its logarithm.

use arenite_abi::prelude::*;
use arenite_layers::layer::Softmax;
use arenite_layers::layer::softmax::Kind as SoftmaxKind;

use crate::device::Definition;
use crate::kernels::{self, SoftmaxRows};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::task::Task;

/// Adds the task of a layer.
pub(super) fn build<'a>(layer: &Softmax, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let layout = builder.layout_of(node.outputs[0]);
    let from = builder.view(node.inputs[0], layout)?;
    let to = builder.output(node.outputs[0], layout)?;
    let (definitions, beta) = match layer.0 {
        SoftmaxKind::Softmax { beta } => (Vec::new(), beta),
        SoftmaxKind::Logarithm => (vec![Definition::Flag("LOGARITHM")], 1.0),
    };
    let numbers = SoftmaxRows { rows: layout.numbers(), beta_bits: beta.to_bits() };
    let call = kernels::Softmax { from: from.buffer, numbers };
    builder.push(Task::new(call, to.buffer, definitions, [layout.rows, 1, 1])?);
    Ok(())
}
