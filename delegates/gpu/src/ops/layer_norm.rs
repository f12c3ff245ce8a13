//! Rows brought to mean 0 and variance 1.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::ops::LayerNorm;

use super::{layout_of, plain};
use crate::builder::{Argument, Buffer, Builder, Task, grid, numbers};
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &LayerNorm, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let layout = layout_of(builder, node.outputs[0]);
    let from = builder.view(node.inputs[0], layout)?;
    let gamma = row(builder, layer.gamma, 1.0, layout)?;
    let beta = row(builder, layer.beta, 0.0, layout)?;
    let to = builder.output(node.outputs[0], layout)?;
    let mut arguments = [to.buffer, from.buffer, gamma, beta].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[layout.rows, layout.slices(), layout.channels])?);
    arguments.push(Argument::Number(layer.epsilon.to_bits() as i32));
    builder.push(Task {
        kernel: plain(KernelName::LayerNorm, Vec::new()),
        arguments,
        grid: grid([layout.rows, 1, 1])?,
        kind: Kind::Other,
    });
    Ok(())
}

/// A constant of a row's length, or one number all over.
fn row(builder: &mut Builder<'_, '_>, id: Option<Id>, otherwise: f32, layout: Layout) -> Result<Buffer> {
    match id {
        Some(id) => Ok(builder.view(id, Layout { rows: 1, channels: layout.channels })?.buffer),
        None => builder.stored(None, || vec![otherwise; layout.pitch()]),
    }
}
