//! Where floats are stored in 16 bits: which values have 32 for all that.
//!
//! ```text
//! model's input ─► x / 127.5 − 1 ─► CONV_2D ─► …
//!     32 bits            32 bits     16 bits
//! ```
//! Numbers that a model is given have scales of their own, as bytes of images have, and functions bring them to another: what lies near to
//! a number that is added would lose its lower bits. So values from the model's inputs on are wide, through functions of elements, as far as
//! all of their readers are such functions or read wide floats: convolutions, products with constants, pools. Their weights are wide, too:
//! where all numbers are nearly the same, a sum is off by as much as all of its weights together. Where there is no function, nothing is
//! gained, and nothing is wide.

use arenite_abi::prelude::*;
use arenite_layers::{Common, Id, Layer};

use crate::net::{Net, Node};

/// Per value of a net whether it is wide; `inputs` are tensors of the model.
pub fn values(net: &Net<'_>, inputs: &[i32]) -> Vec<bool> {
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

/// The model's inputs of floats, and what functions make of them and constants.
fn reached(net: &Net<'_>, inputs: &[i32]) -> Vec<bool> {
    let mut wide = vec![false; net.values.len()];
    for &id in &net.inputs {
        let value = &net.values[id];
        let is_given = value.tensor.is_some_and(|tensor| inputs.contains(&(tensor as i32)));
        wide[id] = is_given && value.ty == F32 && value.grid.is_none();
    }
    for node in net.nodes.iter().filter(|node| keeps(node)) {
        wide[node.outputs[0]] = operands_are(net, node, &wide) && node.inputs.iter().any(|&id| wide[id]);
    }
    wide
}

/// A value that is wide and must not be: a reader is not made for it, or the function that it is a result of reads others.
fn misplaced(net: &Net<'_>, wide: &[bool]) -> Option<Id> {
    net.nodes.iter().find_map(|node| match keeps(node) {
        true if wide[node.outputs[0]] => (!operands_are(net, node, wide)).then_some(node.outputs[0]),
        true => node.inputs.iter().copied().find(|&id| wide[id]),
        false => {
            let others = node.inputs.iter().skip(usize::from(reads_wide(node)));
            others.copied().find(|&id| wide[id])
        }
    })
}

fn operands_are(net: &Net<'_>, node: &Node<'_>, wide: &[bool]) -> bool {
    node.inputs.iter().all(|&id| wide[id] || net.bytes_of(id).is_some())
}

/// Whether the layer's result is wide where its operands are.
fn keeps(node: &Node<'_>) -> bool {
    matches!(node.layer, Layer::Common(Common::Elementwise(_) | Common::Rename))
}

/// Whether the layer reads its input 0 so, whatever else it reads.
fn reads_wide(node: &Node<'_>) -> bool {
    matches!(
        node.layer,
        Layer::Common(
            Common::Conv2d(_) | Common::DepthwiseConv2d(_) | Common::Pool2d(_) | Common::TransposeConv(_)
        )
    )
}
