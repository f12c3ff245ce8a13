//! LSTM's basic kernel: one step, whose state comes in and goes out.
//!
//! ```text
//! x, h ─► [x h] ─► product with all weights ─► gates ─┬─► h, c
//!                                                 c ──┘
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::{LSTMOptions, lstm_kernel};
use arenite_layers::ops::moves::{Dim, Nest};
use arenite_layers::ops::{Conv2d, Source};
use arenite_layers::{Clamp, Common, Layer as Either, Stored, Window};

use super::{conv_2d, layout_of, moves, plain};
use crate::builder::{Argument, Builder, Task, grid, numbers};
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::{Node, Own};
use crate::work_groups::Kind;

/// A step of an LSTM layer.
pub struct Lstm<'a> {
    /// Rows.
    batches: usize,
    /// Elements of a row of the input.
    inputs: usize,
    /// Cells.
    cells: usize,
    /// `[gates, cells, inputs and cells]`.
    weights: Stored<'a>,
    /// One per gate and cell.
    bias: Option<&'a [f32]>,
}

/// Lowers LSTM.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<arenite_layers::Node<Own<'a>>> {
    if x.node.options::<LSTMOptions>()?.get(LSTMOptions::KERNEL_TYPE)? != lstm_kernel::BASIC {
        return Err(unsupported!("the full kernel keeps its state between invocations, on the host"));
    }
    x.expect_f32(5)?;
    let inputs = [0, 1, 4].iter().map(|&i| Ok(x.input(i)?.0)).collect::<Result<Vec<_>>>()?;
    let outputs = (0..4).map(|i| Ok(x.output(i)?.0)).collect::<Result<Vec<_>>>()?;
    let ((_, row), (_, state)) = (x.input(0)?, x.input(4)?);
    let (&[batches, inputs_of_row], &[_, cells]) = (&row.shape[..], &state.shape[..]) else {
        return Err(unsupported!("rows of {:?} with a state of {:?}", row.shape, state.shape));
    };
    ensure!(batches > 0 && inputs_of_row > 0 && cells > 0, "'{}' has no elements", row.name);
    let layer =
        Lstm { batches, inputs: inputs_of_row, cells, weights: x.weights(2)?, bias: x.bias(3, 4 * cells)? };
    ensure!(
        layer.weights.len() == 4 * cells * (inputs_of_row + cells),
        "there are {} weights for {inputs_of_row} inputs and {cells} cells",
        layer.weights.len()
    );
    Ok(arenite_layers::Node::new(Own::Lstm(layer), inputs, outputs))
}

/// The tasks of a layer.
pub fn build<'a>(layer: &Lstm<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let Lstm { batches, inputs, cells, .. } = *layer;
    let [to, state, joined, gates] = node.outputs[..] else {
        return Err(invalid!("an LSTM has {} outputs", node.outputs.len()));
    };
    let depth = inputs + cells;
    let place = builder.output(joined, Layout { rows: batches, channels: depth })?;
    builder.clear(place);
    for (id, first, size) in [(node.inputs[0], 0, inputs), (node.inputs[1], inputs, cells)] {
        let from = builder.place(id)?;
        let dims =
            [Dim { size: batches, from: size as isize, to: depth as isize }, Dim { size, from: 1, to: 1 }];
        moves::push(builder, Some(from), place, &Nest::new(0, first, dims), 0)?;
    }
    product(layer, node, [joined, gates], builder)?;
    let layout = layout_of(builder, to);
    let before = builder.view(node.inputs[2], layout)?;
    let gates = builder.place(gates)?;
    let [to, state] = [builder.output(to, layout)?, builder.output(state, layout)?];
    builder.clear(to);
    builder.clear(state);
    let mut arguments = [to, state, gates, before].map(|place| Argument::Buffer(place.buffer)).to_vec();
    arguments.extend(numbers(&[batches * cells, cells, layout.pitch(), gates.layout.pitch()])?);
    builder.push(Task {
        kernel: plain(KernelName::Lstm, Vec::new()),
        arguments,
        grid: grid([batches * cells, 1, 1])?,
        kind: Kind::Other,
    });
    Ok(())
}

/// The gates, from the joined rows.
fn product<'a>(
    layer: &Lstm<'a>,
    node: &Node<'a>,
    [joined, gates]: [usize; 2],
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let product = Conv2d {
        window: Window::point(layer.batches, layer.inputs + layer.cells),
        groups: 1,
        filters: 4 * layer.cells,
        weights: layer.weights,
        bias: layer.bias,
        clamp: Clamp::NONE,
        epilogue: Vec::new(),
    };
    let mut alone = Node::new(Either::Common(Common::Rename), vec![joined], vec![gates]);
    alone.packed.clone_from(&node.packed);
    conv_2d::build(&product, &alone, builder)
}
