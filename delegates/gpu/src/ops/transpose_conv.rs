//! Gradients of convolutions.

use arenite_abi::prelude::*;
use arenite_layers::ops::TransposeConv;

use super::conv_2d::{bias, weights};
use super::{WithEpilogue, push};
use crate::builder::{Argument, Builder, numbers};
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// Columns of one work-item.
const COLUMNS: usize = 4;

/// The task of a layer. Its window is that of the convolution, whose input is the output here.
pub fn build<'a>(layer: &TransposeConv<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let TransposeConv { window, depth, .. } = layer;
    let (rows, columns) = (window.rows, window.columns);
    let from = Layout { rows: window.positions(), channels: *depth };
    let to = Layout { rows: window.batches * rows.input * columns.input, channels: window.channels };
    let (from, definitions) = builder.wide_view(node.inputs[0], from)?;
    let taps = rows.taps * columns.taps;
    let weights = weights(from.precision, [taps, *depth, to.channels], &layer.weights, node, builder)?;
    let bias = bias(layer.bias, to, builder)?;
    let mut arguments =
        vec![Argument::Buffer(from.buffer), Argument::Buffer(weights), Argument::Buffer(bias)];
    arguments.extend(numbers(&[
        window.batches,
        rows.output,
        columns.output,
        from.layout.slices(),
        rows.input,
        columns.input,
        to.slices(),
        to.channels,
        rows.taps,
        columns.taps,
        rows.stride,
        columns.stride,
        rows.before,
        columns.before,
    ])?);
    let across = columns.input.div_ceil(COLUMNS * columns.stride) * columns.stride;
    let task = WithEpilogue {
        name: KernelName::TransposeConv,
        definitions,
        arguments,
        grid: [to.slices(), across, window.batches * rows.input],
        kind: Kind::Convolution,
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    push(builder, task, to, node.outputs[0]).map(drop)
}
