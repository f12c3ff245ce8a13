//! The values that are stored in 32 bits although the others have 16.
//!
//! ```text
//! model's input ─► x / 127.5 − 1 ─► CONV_2D ─► …
//!     32 bits            32 bits     16 bits
//! ```
//! A model's inputs often have a scale that the first elementwise functions change, such as bytes of images. When an
//! offset is subtracted, values close to the offset would lose their lower bits. So the model's inputs and the results
//! of elementwise functions of them are wide, as long as all readers are elementwise functions or can read wide floats:
//! convolutions, products with constants, pools. The weights of these readers are wide, too: if all inputs are nearly
//! equal, the errors of all weights add up. Without such a function, no value is wide.

use arenite_abi::prelude::*;
use arenite_layers::{Common, Id, Layer};

use crate::net::{Net, Node};

/// Whether each value of a net is wide; `inputs` are the model's input tensors.
pub(crate) fn values(net: &Net<'_>, inputs: &[i32]) -> Vec<bool> {
    let mut wide = reached(net, inputs);
    net.outputs.iter().for_each(|&id| wide[id] = false);
    while let Some(id) = misplaced(net, &wide) {
        wide[id] = false;
    }
    let is_function = |node: &Node<'_>| matches!(node.layer, Layer::Common(Common::Elementwise(_)));
    match net.nodes.iter().any(|node| is_function(node) && wide[node.outputs[0]]) {
        true => wide,
        false => vec![false; net.values.len()],
    }
}

/// The model's float inputs, and elementwise functions of them and of constants.
fn reached(net: &Net<'_>, inputs: &[i32]) -> Vec<bool> {
    let mut wide = vec![false; net.values.len()];
    for &id in &net.inputs {
        let value = &net.values[id];
        let is_given = value.tensor.is_some_and(|tensor| inputs.contains(&(tensor as i32)));
        wide[id] = is_given && value.ty == F32 && value.grid.is_none();
    }
    for node in net.nodes.iter().filter(|node| keeps(node)) {
        wide[node.outputs[0]] = has_wide_operands(net, node, &wide) && node.inputs.iter().any(|&id| wide[id]);
    }
    wide
}

/// A value that must not be wide: a reader does not support it, or it is computed from operands that are not wide.
fn misplaced(net: &Net<'_>, wide: &[bool]) -> Option<Id> {
    net.nodes.iter().find_map(|node| match keeps(node) {
        true if wide[node.outputs[0]] => (!has_wide_operands(net, node, wide)).then_some(node.outputs[0]),
        true => node.inputs.iter().copied().find(|&id| wide[id]),
        false => {
            let others = node.inputs.iter().skip(usize::from(reads_wide(node)));
            others.copied().find(|&id| wide[id])
        }
    })
}

fn has_wide_operands(net: &Net<'_>, node: &Node<'_>, wide: &[bool]) -> bool {
    node.inputs.iter().all(|&id| wide[id] || net.bytes_of(id).is_some())
}

/// Whether the layer's result is wide if its operands are.
fn keeps(node: &Node<'_>) -> bool {
    matches!(node.layer, Layer::Common(Common::Elementwise(_) | Common::Rename))
}

/// Whether the layer supports a wide input 0.
fn reads_wide(node: &Node<'_>) -> bool {
    matches!(
        node.layer,
        Layer::Common(
            Common::Conv2d(_) | Common::DepthwiseConv2d(_) | Common::Pool2d(_) | Common::TransposeConv(_)
        )
    )
}
