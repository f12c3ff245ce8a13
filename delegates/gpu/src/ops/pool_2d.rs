//! Pools.

use arenite_abi::prelude::*;
use arenite_base::PoolKind;
use arenite_layers::layer::Pool2d;

use super::conv_2d::numbers;
use crate::device::Definition;
use crate::kernels;
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::fused_task::FusedTask;
use crate::store::layout::Layout;

/// Adds the task of a layer.
pub(super) fn build<'a>(layer: &Pool2d, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let window = &layer.window;
    let (rows, columns) = (window.rows, window.columns);
    let from = Layout { rows: window.batches * rows.input * columns.input, channels: window.channels };
    let to = Layout { rows: window.positions(), channels: window.channels };
    let (from, mut definitions) = builder.wide_view(node.inputs[0], from)?;
    let numbers = numbers(window, from.layout.slices(), to);
    if layer.kind == PoolKind::Max {
        definitions.push(Definition::Flag("MAXIMUM"));
    }
    let task = FusedTask {
        call: kernels::Pool2d { from: from.buffer, numbers }.into(),
        definitions,
        grid: [to.slices(), columns.output, window.batches * rows.output],
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    task.push(builder, to, node.outputs[0]).map(drop)
}
