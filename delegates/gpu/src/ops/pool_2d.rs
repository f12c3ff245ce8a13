//! Pools.

use arenite_abi::prelude::*;
use arenite_layers::ops::Pool2d;
use arenite_layers::ops::pool_2d::Kind as Computes;

use super::conv_2d::sizes;
use super::{WithEpilogue, push};
use crate::builder::{Argument, Builder};
use crate::device::Definition;
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &Pool2d, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let window = &layer.window;
    let (rows, columns) = (window.rows, window.columns);
    let from = Layout { rows: window.batches * rows.input * columns.input, channels: window.channels };
    let to = Layout { rows: window.positions(), channels: window.channels };
    let (from, mut definitions) = builder.wide_view(node.inputs[0], from)?;
    let mut arguments = vec![Argument::Buffer(from.buffer)];
    arguments.extend(sizes(window, from.layout.slices(), to)?);
    if layer.kind == Computes::Max {
        definitions.push(Definition::Flag("MAXIMUM"));
    }
    let task = WithEpilogue {
        name: KernelName::Pool2d,
        definitions,
        arguments,
        grid: [to.slices(), columns.output, window.batches * rows.output],
        kind: Kind::Other,
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    push(builder, task, to, node.outputs[0]).map(drop)
}
