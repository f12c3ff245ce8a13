//! Convolutions of each channel with its own filters.

use arenite_abi::prelude::*;
use arenite_layers::ops::DepthwiseConv2d;

use super::conv_2d::{bias, sizes};
use super::{WithEpilogue, push};
use crate::builder::{Argument, Builder, numbers};
use crate::device::Definition;
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &DepthwiseConv2d<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
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
    let bias = bias(layer.bias, to, builder)?;
    let mut arguments =
        vec![Argument::Buffer(from.buffer), Argument::Buffer(weights), Argument::Buffer(bias)];
    arguments.extend(sizes(window, from.layout.slices(), to)?);
    arguments.extend(numbers(&[*multiplier])?);
    let task = WithEpilogue {
        name: KernelName::DepthwiseConv2d,
        definitions,
        arguments,
        grid: [to.slices(), columns.output, window.batches * rows.output],
        kind: Kind::Other,
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    push(builder, task, to, node.outputs[0]).map(drop)
}
