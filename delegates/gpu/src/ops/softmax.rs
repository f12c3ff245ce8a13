//! Softmax along rows, or its logarithm.

use arenite_abi::prelude::*;
use arenite_layers::ops::Softmax;
use arenite_layers::ops::softmax::Kind as Computes;

use super::{layout_of, plain};
use crate::builder::{Argument, Builder, Task, grid, numbers};
use crate::device::Definition;
use crate::kernel_name::KernelName;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &Softmax, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let layout = layout_of(builder, node.outputs[0]);
    let from = builder.view(node.inputs[0], layout)?;
    let to = builder.output(node.outputs[0], layout)?;
    let (definitions, beta) = match layer.0 {
        Computes::Softmax { beta } => (Vec::new(), beta),
        Computes::Logarithm => (vec![Definition::Flag("LOGARITHM")], 1.0),
    };
    let mut arguments = vec![Argument::Buffer(to.buffer), Argument::Buffer(from.buffer)];
    arguments.extend(numbers(&[layout.rows, layout.slices(), layout.channels])?);
    arguments.push(Argument::Number(beta.to_bits() as i32));
    builder.push(Task {
        kernel: plain(KernelName::Softmax, definitions),
        arguments,
        grid: grid([layout.rows, 1, 1])?,
        kind: Kind::Other,
    });
    Ok(())
}
