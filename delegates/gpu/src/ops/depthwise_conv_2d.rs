//! Depthwise convolutions.

use arenite_abi::prelude::*;
use arenite_layers::layer::DepthwiseConv2d;

use super::conv_2d::numbers;
use crate::device::Definition;
use crate::kernels::{self, MultipliedWindow};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::fused_task::FusedTask;
use crate::store::layout::Layout;

/// Adds the tasks of a layer.
pub(super) fn build<'a>(
    layer: &DepthwiseConv2d<'a>,
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let DepthwiseConv2d { window, multiplier, .. } = layer;
    let (rows, columns) = (window.rows, window.columns);
    let from = Layout { rows: window.batches * rows.input * columns.input, channels: window.channels };
    let to = Layout { rows: window.positions(), channels: window.channels * multiplier };
    let (from, mut definitions) = builder.wide_view(node.inputs[0], from)?;
    definitions.extend((*multiplier > 1).then_some(Definition::Flag("MULTIPLIED")));
    let taps = Layout { rows: rows.taps * columns.taps, channels: to.channels };
    let weights = builder.weights(from.precision, node, "depthwise_conv_2d", &layer.weights, |weights| {
        let mut packed = Vec::new();
        taps.spread(weights, &mut packed);
        packed
    })?;
    let bias = builder.bias(layer.bias, to)?;
    let window_numbers = numbers(window, from.layout.slices(), to);
    let numbers = MultipliedWindow { window: window_numbers, multiplier: *multiplier };
    let task = FusedTask {
        call: kernels::DepthwiseConv2d { from: from.buffer, weights, bias, numbers }.into(),
        definitions,
        grid: [to.slices(), columns.output, window.batches * rows.output],
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    task.push(builder, to, node.outputs[0]).map(drop)
}
