//! Rewrites sums and products of unsigned bytes with constants.
//!
//! ```text
//! x ─► MUL(x, row) ─► y ─► ADD(y, row)      =>  x ─► [lines, lines]      a line for each column
//! x ─► MUL(x, number)                       =>  x ─► [table]
//! ```
//! Layers are rewritten only if all results keep their bytes.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::u8_pair::Pairs;
use crate::net::{CpuLayer, Layer, Net, Node};
use crate::ops::quantized::{ByteFunction, Lines, Quantized};
use crate::ops::values::{NetValues, NodeValues};

/// Applies the rewriting.
pub(super) fn straighten(net: &mut Net<'_>, pairs: &'static Pairs) -> Result<()> {
    let (uses, mut producers) = (net.uses(), net.producers());
    for j in 0..net.nodes.len() {
        let Some((input, layer)) = straight(net, j, pairs)? else { continue };
        let before = producers[input].filter(|_| uses[input] == 1);
        let merged = before.and_then(|i| match (&layer, lines_of(&net.nodes[i])) {
            (Quantized::Lines(lines), Some(first)) => {
                Some((i, net.nodes[i].inputs[0], Quantized::Lines(lines.after(first)?)))
            }
            _ => None,
        });
        let (input, layer) = match merged {
            Some((i, input, layer)) => {
                net.take(i);
                (input, layer)
            }
            None => (input, layer),
        };
        net.nodes[j].inputs = vec![input];
        net.nodes[j].layer = Layer::Engine(CpuLayer::Quantized(layer));
        producers[net.nodes[j].outputs[0]] = Some(j);
    }
    net.compact();
    Ok(())
}

/// The operand of a sum or product with a constant, and the layer that computes it from the operand alone.
fn straight<'a>(net: &Net<'a>, j: usize, pairs: &'static Pairs) -> Result<Option<(Id, Quantized<'a>)>> {
    let node = &net.nodes[j];
    let Layer::Engine(CpuLayer::Quantized(Quantized::Pairwise(pair))) = &node.layer else { return Ok(None) };
    for o in 0..2 {
        let Some(constant) = net.bytes_of(node.inputs[o]) else { continue };
        if let Some(layer) =
            pair.with_constant(o, constant, &NodeValues::of(node), &NetValues::of(net), pairs)?
        {
            let layer = match layer {
                ByteFunction::Table(table) => Quantized::Table(table),
                ByteFunction::Lines(lines) => Quantized::Lines(lines),
            };
            return Ok(Some((node.inputs[1 - o], layer)));
        }
    }
    Ok(None)
}

/// The lines that a node computes.
fn lines_of<'n>(node: &'n Node<'_>) -> Option<&'n Lines> {
    match &node.layer {
        Layer::Engine(CpuLayer::Quantized(Quantized::Lines(lines))) => Some(lines),
        _ => None,
    }
}
