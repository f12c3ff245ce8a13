//! Convolutions, and products with constant weights.

use arenite_abi::prelude::*;
use arenite_layers::ops::Conv2d;
use arenite_layers::{Stored, Window};

use super::tiled::Product;
use super::{WithEpilogue, push, winograd};
use crate::builder::{Argument, Buffer, Builder, numbers};
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::precision::Precision;
use crate::work_groups::Kind;

/// Columns of one work-item.
const COLUMNS: usize = 4;

/// The task of a layer.
pub fn build<'a>(layer: &Conv2d<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let Conv2d { window, filters, clamp, epilogue: functions, .. } = layer;
    let window = flat(window);
    let from =
        Layout { rows: window.batches * window.rows.input * window.columns.input, channels: window.channels };
    let to = Layout { rows: window.positions(), channels: *filters };
    let (from, definitions) = builder.wide_view(node.inputs[0], from)?;
    let is_float = builder.net.values[node.outputs[0]].grid.is_none();
    if is_float && builder.with.winograd.takes(&window, *filters) {
        return winograd::build(layer, ((from, definitions), to), node, builder);
    }
    let taps = window.rows.taps * window.columns.taps;
    let weights = weights(from.precision, [taps, window.channels, *filters], &layer.weights, node, builder)?;
    let bias = bias(layer.bias, to, builder)?;
    let product = [to.rows, from.layout.slices(), to.channels];
    if window.is_point() && builder.with.tiles.take(product) {
        let product = Product {
            operands: [from.buffer, weights],
            strides: [from.layout.slices(), to.slices(), to.slices()],
            starts: vec![[0; 3]],
            sizes: product,
            bias,
        };
        let task = WithEpilogue { definitions, clamp: *clamp, functions, ..product.task(builder)? };
        return push(builder, task, to, node.outputs[0]).map(drop);
    }
    let mut arguments =
        vec![Argument::Buffer(from.buffer), Argument::Buffer(weights), Argument::Buffer(bias)];
    arguments.extend(sizes(&window, from.layout.slices(), to)?);
    let task = WithEpilogue {
        name: KernelName::Conv2d,
        definitions,
        arguments,
        grid: [to.slices(), window.columns.output.div_ceil(COLUMNS), window.batches * window.rows.output],
        kind: Kind::Convolution,
        clamp: *clamp,
        functions,
    };
    push(builder, task, to, node.outputs[0]).map(drop)
}

/// A window of points as one row of them, so that its end is met once.
fn flat(window: &Window) -> Window {
    match window.is_point() {
        true => Window::point(window.positions(), window.channels),
        false => *window,
    }
}

/// The window as kernels take it: sizes, then taps, strides, dilations, and what is in front of the input.
pub(super) fn sizes(window: &Window, in_slices: usize, to: Layout) -> Result<Vec<Argument>> {
    let Window { batches, rows, columns, .. } = window;
    numbers(&[
        *batches,
        rows.input,
        columns.input,
        in_slices,
        rows.output,
        columns.output,
        to.slices(),
        to.channels,
        rows.taps,
        columns.taps,
        rows.stride,
        columns.stride,
        rows.dilation,
        columns.dilation,
        rows.before,
        columns.before,
    ])
}

/// One number per channel, zeros where there is none.
pub(super) fn bias(bias: Option<&[f32]>, to: Layout, builder: &mut Builder<'_, '_>) -> Result<Buffer> {
    builder.constant(None, || {
        let mut floats = bias.unwrap_or_default().to_vec();
        floats.resize(to.pitch(), 0.0);
        floats
    })
}

/// `[tap][input channel][output channel]`, both filled up with zeros, of `[output channel][tap][input channel]`.
pub(super) fn weights<'a>(
    precision: Precision,
    [taps, channels, filters]: [usize; 3],
    stored: &Stored<'a>,
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<Buffer> {
    let (depth, width) = (channels.next_multiple_of(4), filters.next_multiple_of(4));
    builder.weights(precision, node, "conv_2d", stored, |weights| {
        let mut packed = vec![0.0; taps * depth * width];
        for (filter, weights) in weights.chunks_exact(taps * channels).enumerate() {
            for (i, &weight) in weights.iter().enumerate() {
                packed[((i / channels) * depth + i % channels) * width + filter] = weight;
            }
        }
        packed
    })
}
