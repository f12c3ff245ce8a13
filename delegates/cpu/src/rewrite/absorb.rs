//! Removes nodes that make signed bytes unsigned, or back, next to layers that do that themselves.
//!
//! ```text
//! i8 ─► [flip] ─► u8 ─► [ADD] ─► u8 ─► [flip] ─► i8      =>      i8 ─► [ADD] ─► i8
//! i8 ─► [flip] ─► u8 ─► [CONV_2D] ─► u8 ─► [flip] ─► i8  =>      i8 ─► [flip] ─► u8 ─► [CONV_2D] ─► i8
//! ```

use arenite_layers::Id;

use crate::net::{CpuLayer, Layer, Net, Node};
use crate::ops::quantized::Quantized;

/// Applies the rewriting.
pub(super) fn absorb(net: &mut Net<'_>) {
    for i in 0..net.nodes.len() {
        let Some([from, to]) = flip(&net.nodes[i]) else { continue };
        if net.values[from].constant.is_some() || net.bytes_of(from).is_some() {
            continue;
        }
        // The unsigned value disappears, so each node that reads or writes it must accept signed bytes.
        let signed = |id: Id| net.values[id].ty == arenite_abi::prelude::I8;
        let (unsigned, stays) = if signed(from) { (to, from) } else { (from, to) };
        let is_seen = net.inputs.contains(&unsigned) || net.outputs.contains(&unsigned);
        let meets = |node: &Node<'_>| node.inputs.contains(&unsigned) || node.outputs.contains(&unsigned);
        let others = || net.nodes.iter().enumerate().filter(|&(j, node)| j != i && meets(node));
        let accepts = |node: &Node<'_>| match node.inputs.contains(&unsigned) {
            true => quantized(node).is_some_and(Quantized::flips),
            false => quantized(node).is_some_and(Quantized::writes_signed),
        };
        if is_seen || !others().all(|(_, node)| accepts(node)) {
            continue;
        }
        net.take(i);
        for node in &mut net.nodes {
            let ports = node.inputs.iter_mut().chain(&mut node.outputs);
            ports.filter(|id| **id == unsigned).for_each(|id| *id = stays);
        }
    }
    net.compact();
}

/// The input and the output of a node that only flips bytes.
fn flip(node: &Node<'_>) -> Option<[Id; 2]> {
    match &node.layer {
        Layer::Engine(CpuLayer::Quantized(Quantized::Flip)) => Some([node.inputs[0], node.outputs[0]]),
        _ => None,
    }
}

/// The layer, if it is one on quantized bytes.
fn quantized<'l, 'a>(node: &'l Node<'a>) -> Option<&'l Quantized<'a>> {
    match &node.layer {
        Layer::Engine(CpuLayer::Quantized(layer)) => Some(layer),
        _ => None,
    }
}
