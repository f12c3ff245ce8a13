//! Layer normalization.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::LayerNorm;

use crate::kernels::{self, NormalizedRows};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::task::{Buffer, Task};
use crate::store::layout::Layout;

/// Adds the task of a layer.
pub(super) fn build<'a>(layer: &LayerNorm, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let layout = builder.layout_of(node.outputs[0]);
    let from = builder.view(node.inputs[0], layout)?;
    let gamma = row(builder, layer.gamma, 1.0, layout)?;
    let beta = row(builder, layer.beta, 0.0, layout)?;
    let to = builder.output(node.outputs[0], layout)?;
    let numbers = NormalizedRows { rows: layout.numbers(), epsilon_bits: layer.epsilon.to_bits() };
    let call = kernels::LayerNorm { from: from.buffer, gamma, beta, numbers };
    builder.push(Task::new(call, to.buffer, Vec::new(), [layout.rows, 1, 1])?);
    Ok(())
}

/// A constant row, or a row filled with `otherwise`.
fn row(builder: &mut Builder<'_, '_>, id: Option<Id>, otherwise: f32, layout: Layout) -> Result<Buffer> {
    match id {
        Some(id) => Ok(builder.view(id, Layout { rows: 1, channels: layout.channels })?.buffer),
        None => builder.stored(None, || vec![otherwise; layout.pitch()]),
    }
}
