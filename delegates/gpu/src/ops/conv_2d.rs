//! Convolutions, and products with constant weights.

use arenite_abi::prelude::*;
use arenite_base::Stored;
use arenite_layers::Window;
use arenite_layers::layer::Conv2d;

use super::tiled::Product;
use super::winograd;
use crate::kernels;
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::fused_task::FusedTask;
use crate::plan::task::Buffer;
use crate::store::layout::Layout;
use crate::store::precision::Precision;

/// Columns per work-item.
const COLUMNS: usize = 4;

/// Adds the tasks of a layer.
pub(super) fn build<'a>(layer: &Conv2d<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let Conv2d { window, filters, clamp, epilogue: functions, .. } = layer;
    let window = flat(window);
    let from =
        Layout { rows: window.batches * window.rows.input * window.columns.input, channels: window.channels };
    let to = Layout { rows: window.positions(), channels: *filters };
    let (from, definitions) = builder.wide_view(node.inputs[0], from)?;
    let is_float = builder.net.values[node.outputs[0]].grid.is_none();
    if is_float && builder.options.winograd.takes(&window, *filters) {
        return winograd::build(layer, from, definitions, to, node, builder);
    }
    let taps = window.rows.taps * window.columns.taps;
    let weights = weights(from.precision, [taps, window.channels, *filters], &layer.weights, node, builder)?;
    let bias = builder.bias(layer.bias, to)?;
    let product = [to.rows, from.layout.slices(), to.channels];
    if window.is_point() && builder.options.tiles.take(product) {
        let product = Product {
            operands: [from.buffer, weights],
            strides: [from.layout.slices(), to.slices(), to.slices()],
            starts: vec![[0; 3]],
            sizes: product,
            bias,
        };
        let task = FusedTask { definitions, clamp: *clamp, functions, ..product.tiled(builder)? };
        return task.push(builder, to, node.outputs[0]).map(drop);
    }
    let numbers = numbers(&window, from.layout.slices(), to);
    let task = FusedTask {
        call: kernels::Conv2d { from: from.buffer, weights, bias, numbers }.into(),
        definitions,
        grid: [to.slices(), window.columns.output.div_ceil(COLUMNS), window.batches * window.rows.output],
        clamp: *clamp,
        functions,
    };
    task.push(builder, to, node.outputs[0]).map(drop)
}

/// A window of points as a single row, so that only one work-group is partly outside.
fn flat(window: &Window) -> Window {
    match window.is_point() {
        true => Window::point(window.positions(), window.channels),
        false => *window,
    }
}

/// The window as numbers of a kernel.
pub(super) fn numbers(window: &Window, in_slices: usize, to: Layout) -> kernels::Window {
    let Window { batches, rows, columns, .. } = *window;
    kernels::Window {
        batches,
        in_rows: rows.input,
        in_columns: columns.input,
        in_slices,
        out_rows: rows.output,
        out_columns: columns.output,
        out_slices: to.slices(),
        channels: to.channels,
        tap_rows: rows.taps,
        tap_columns: columns.taps,
        row_stride: rows.stride,
        column_stride: columns.stride,
        row_dilation: rows.dilation,
        column_dilation: columns.dilation,
        rows_before: rows.before,
        columns_before: columns.before,
    }
}

/// Packs `[output channel][tap][input channel]` as `[tap][input channel][output channel]` with channels padded by
/// zeros.
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
