//! Gradients of convolutions.

use arenite_abi::prelude::*;
use arenite_layers::layer::TransposeConv;

use super::conv_2d::{numbers, weights};
use crate::kernels;
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::fused_task::FusedTask;
use crate::store::layout::Layout;

/// Columns per work-item.
const COLUMNS: usize = 4;

/// Adds the task of a layer. The layer's window belongs to the convolution whose gradient it computes.
pub(super) fn build<'a>(
    layer: &TransposeConv<'a>,
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let TransposeConv { window, depth, .. } = layer;
    let (rows, columns) = (window.rows, window.columns);
    let from = Layout { rows: window.positions(), channels: *depth };
    let to = Layout { rows: window.batches * rows.input * columns.input, channels: window.channels };
    let (from, definitions) = builder.wide_view(node.inputs[0], from)?;
    let taps = rows.taps * columns.taps;
    let weights = weights(from.precision, [taps, *depth, to.channels], &layer.weights, node, builder)?;
    let bias = builder.bias(layer.bias, to)?;
    // The gradient's input is the convolution's output.
    let numbers = kernels::Window {
        in_rows: rows.output,
        in_columns: columns.output,
        out_rows: rows.input,
        out_columns: columns.input,
        ..numbers(window, from.layout.slices(), to)
    };
    let across = columns.input.div_ceil(COLUMNS * columns.stride) * columns.stride;
    let task = FusedTask {
        call: kernels::TransposeConv { from: from.buffer, weights, bias, numbers }.into(),
        definitions,
        grid: [to.slices(), across, window.batches * rows.input],
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    task.push(builder, to, node.outputs[0]).map(drop)
}
