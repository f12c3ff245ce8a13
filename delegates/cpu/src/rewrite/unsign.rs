//! Makes all signed bytes of a net unsigned: `q` is held as `q + 128`, with a zero point that is 128 larger and the
//! same scale. So kernels need only one type of activation, the type that dot-product instructions take.
//!
//! ```text
//! inputs:  i8 ─► [flip] ─► u8      inside: u8      outputs:  u8 ─► [flip] ─► i8      constants: flipped once
//! tables:  i8 ─► GATHER ─► i8 ─► [flip] ─► u8      they are read where they are
//! copies:  i8 ─► SLICE ─► i8 ─► PACK ─► i8         signed or not: nothing is computed with them
//! orders:  i8 ─► MAXIMUM ─► i8 ─► CAST ─► f32      layers with a function for either form, next to copies alone
//! states:  i8 ─► LSTM ─► i8                        variables are updated where they are
//! ```
//! Adding 128 to a byte flips its highest bit.

use std::collections::HashSet;

use arenite_abi::prelude::*;
use arenite_base::Quant;
use arenite_layers::{Common, Id};

use crate::net::{CpuLayer, Layer, Net, Node};
use crate::ops::quantized::Quantized;

/// How bytes cross the borders of a net.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Borders {
    /// As the model has them.
    Signed,
    /// Unsigned: the net is the body of a loop, and the net around it is rewritten too.
    Unsigned,
}

/// Rewrites the net.
pub(super) fn unsign(net: &mut Net<'_>, borders: Borders) -> Result<()> {
    let mut signed: HashSet<Id> = flip_gathered(net).into_iter().collect();
    signed.extend(net.updated());
    if borders == Borders::Signed {
        signed.extend(only_copied(net));
    }
    let mut used = vec![false; net.values.len()];
    for node in &mut net.nodes {
        if let Layer::Common(Common::Moves(moves)) = &mut node.layer
            && net.values[node.outputs[0]].ty == I8
            && !signed.contains(&node.outputs[0])
        {
            moves.fill[0] ^= 0x80;
        }
        node.inputs.iter().chain(&node.outputs).for_each(|&id| used[id] = true);
    }
    for (id, used) in used.into_iter().enumerate() {
        if net.values[id].ty != I8 || !used || signed.contains(&id) {
            continue;
        }
        let value = &mut net.values[id];
        value.ty = U8;
        value.quant = value.quant.map(|q| Quant { zero_point: q.zero_point + 128, ..q });
        match value.constant.take() {
            Some(constant) => net.set_bytes(id, constant.bytes().iter().map(|byte| byte ^ 0x80))?,
            None if borders == Borders::Signed => flip_borders(net, id),
            None => {}
        }
    }
    Ok(())
}

fn flip<'a>(from: Id, to: Id) -> Node<'a> {
    Node::new(Layer::Engine(CpuLayer::Quantized(Quantized::Flip)), vec![from], vec![to])
}

/// The signed values that are only copied: every node that reads one, or a copy of it, copies bytes or has a function
/// of signed ones.
fn only_copied(net: &Net<'_>) -> Vec<Id> {
    let copies = |node: &Node<'_>| match &node.layer {
        Layer::Common(layer) => {
            matches!(layer, Common::Moves(_) | Common::Gather(_) | Common::Rename | Common::Resize(_))
        }
        Layer::Engine(CpuLayer::Typed(layer)) => layer.takes_signed(),
        Layer::Engine(CpuLayer::Embedding(_)) => true,
        Layer::Engine(CpuLayer::Quantized(layer)) => layer.takes_signed(),
        Layer::Engine(_) => false,
    };
    let ports = |node: &Node<'_>| {
        let ids = node.inputs.iter().chain(&node.outputs).copied();
        ids.filter(|&id| net.values[id].ty == I8).collect::<Vec<Id>>()
    };
    let mut computed = vec![false; net.values.len()];
    net.nodes.iter().filter(|node| !copies(node)).flat_map(ports).for_each(|id| computed[id] = true);
    let copied: Vec<Vec<Id>> = net.nodes.iter().filter(|node| copies(node)).map(ports).collect();
    let mut spreads = true;
    while spreads {
        spreads = false;
        // Forwards and backwards, so that few rounds are needed.
        for ids in copied.iter().chain(copied.iter().rev()) {
            let any = ids.iter().any(|&id| computed[id]);
            for &id in ids.iter().filter(|_| any) {
                spreads |= !std::mem::replace(&mut computed[id], true);
            }
        }
    }
    copied.into_iter().flatten().filter(|&id| !computed[id]).collect()
}

/// Flips values that are gathered from constant tables. Returns the values that stay signed: the tables, and the
/// gathered values.
fn flip_gathered(net: &mut Net<'_>) -> Vec<Id> {
    let is_table = |net: &Net<'_>, id: Id| net.values[id].constant.is_some() && net.values[id].ty == I8;
    let gathers = |node: &Node<'_>, id: Id| {
        matches!(node.layer, Layer::Common(Common::Gather(_))) && node.inputs[0] == id
    };
    let mut signed = Vec::new();
    let mut i = 0;
    while i < net.nodes.len() {
        let table = net.nodes[i].inputs.first().copied().filter(|&id| gathers(&net.nodes[i], id));
        let only_gathered =
            |&id: &Id| net.nodes.iter().all(|node| gathers(node, id) || !node.inputs.contains(&id));
        if let Some(table) = table.filter(|&id| is_table(net, id)).filter(only_gathered) {
            let gathered = net.add_value(net.nodes[i].outputs[0]);
            let output = std::mem::replace(&mut net.nodes[i].outputs[0], gathered);
            net.nodes.insert(i + 1, flip(gathered, output));
            signed.extend([table, gathered]);
        }
        i += 1;
    }
    signed
}

/// Readers outside of the partition see another value, which has the original type.
fn flip_borders(net: &mut Net<'_>, id: Id) {
    let input = net.inputs.iter().position(|&input| input == id);
    let output = net.outputs.iter().position(|&output| output == id);
    if input.is_none() && output.is_none() {
        return;
    }
    let outside = net.add_value(id);
    let value = &mut net.values[outside];
    value.ty = I8;
    value.quant = value.quant.map(|q| Quant { zero_point: q.zero_point - 128, ..q });
    if let Some(i) = input {
        net.inputs[i] = outside;
        net.values[outside].is_variable = net.values[id].is_variable;
        net.nodes.insert(0, flip(outside, id));
    }
    if let Some(o) = output {
        net.outputs[o] = outside;
        net.nodes.push(flip(id, outside));
    }
}
