//! Copies of elements.

use arenite_abi::prelude::*;
use arenite_layers::layer::Moves;
use arenite_layers::layer::moves::BoxCopy;

use crate::net::Node;
use crate::plan::builder::Builder;

/// Adds the tasks of a layer, one per box.
pub(super) fn build<'a>(layer: &Moves, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let inputs = node.inputs.iter().map(|&id| builder.place(id)).collect::<Result<Vec<_>>>()?;
    let mut outputs = Vec::with_capacity(node.outputs.len());
    for &id in &node.outputs {
        let layout = builder.layout_of(id);
        let place = builder.output(id, layout)?;
        builder.clear(place);
        outputs.push(place);
    }
    let [a, b, c, d, ..] = layer.fill;
    let fill = u32::from_le_bytes([a, b, c, d]);
    layer.boxes.iter().try_for_each(|BoxCopy { input, output, nest }| {
        let from = input.map(|input| inputs[input]);
        builder.push_box(from, outputs[*output], nest, fill)
    })
}
