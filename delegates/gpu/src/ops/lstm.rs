//! The basic kernel of LSTM: one step, whose state is an input and an output.
//!
//! ```text
//! x, h ─► [x h] ─► product with all weights ─► gates ─┬─► h, c
//!                                                 c ──┘
//! ```

use arenite_abi::prelude::*;
use arenite_base::{Clamp, Dim};
use arenite_layers::layer::Conv2d;
use arenite_layers::layer::moves::Nest;
use arenite_layers::{Common, Layer as AnyLayer, Window};

use super::conv_2d;
use crate::kernels::{self, Cells};
use crate::net::Node;
use crate::net::lstm::Lstm;
use crate::plan::builder::Builder;
use crate::plan::task::Task;
use crate::store::layout::Layout;

/// Adds the tasks of a layer.
pub(super) fn build<'a>(layer: &Lstm<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
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
        builder.push_box(Some(from), place, &Nest::new(0, first, dims), 0)?;
    }
    product(layer, node, [joined, gates], builder)?;
    let layout = builder.layout_of(to);
    let before = builder.view(node.inputs[2], layout)?;
    let gates = builder.place(gates)?;
    let [to, state] = [builder.output(to, layout)?, builder.output(state, layout)?];
    builder.clear(to);
    builder.clear(state);
    let numbers =
        Cells { count: batches * cells, cells, pitch: layout.pitch(), gates_pitch: gates.layout.pitch() };
    let call = kernels::Lstm { state: state.buffer, gates: gates.buffer, before: before.buffer, numbers };
    builder.push(Task::new(call, to.buffer, Vec::new(), [batches * cells, 1, 1])?);
    Ok(())
}

/// Computes the gates from the joined rows.
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
    let mut alone = Node::new(AnyLayer::Common(Common::Rename), vec![joined], vec![gates]);
    alone.packed.clone_from(&node.packed);
    conv_2d::build(&product, &alone, builder)
}
