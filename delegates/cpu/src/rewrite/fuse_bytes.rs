//! Rewrites a net of unsigned bytes so that fewer values go through memory.
//!
//! ```text
//! x ─► [f] ─► s ─► MUL(x, s)        =>  x ─► [table]        both operands are functions of one byte
//! x ─► [f] ─► y ─► [g]              =>  x ─► [table]
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::net::{CpuLayer, Layer, Net, Node};
use crate::ops::quantized::Quantized;
use crate::ops::values::{NetValues, NodeValues};

/// Applies all rewritings.
pub(super) fn fuse_bytes(net: &mut Net<'_>) -> Result<()> {
    let (uses, mut producers) = (net.uses(), net.producers());
    for j in 0..net.nodes.len() {
        let Some((i, input, table)) = merged(net, j, &uses, &producers)? else { continue };
        net.take(i);
        net.nodes[j].inputs = vec![input];
        net.nodes[j].layer = Layer::Engine(CpuLayer::Quantized(Quantized::Table(table)));
        producers[net.nodes[j].outputs[0]] = Some(j);
    }
    net.compact();
    Ok(())
}

/// The node whose function can be made part of node `j`, its input, and the table of both.
#[allow(clippy::type_complexity)]
fn merged(
    net: &Net<'_>,
    j: usize,
    uses: &[usize],
    producers: &[Option<usize>],
) -> Result<Option<(usize, Id, Box<[u8; 256]>)>> {
    let node = &net.nodes[j];
    // The function that computes `id`, if it has no other reader.
    let inner = |id: Id| {
        let i = producers[id].filter(|_| uses[id] == 1)?;
        Some((i, &net.nodes[i]))
    };
    match &node.layer {
        Layer::Engine(CpuLayer::Quantized(Quantized::Pairwise(pair))) => {
            let (a, b) = (node.inputs[0], node.inputs[1]);
            for (x, s, swapped) in [(a, b, false), (b, a, true)] {
                let Some((i, gate)) = inner(s).filter(|(_, gate)| gate.inputs == [x]) else { continue };
                let Some(f) = table_of(net, gate)? else { continue };
                let Some(apply) = pair.of_bytes(&NodeValues::of(node), &NetValues::of(net))? else {
                    continue;
                };
                let both = |q: usize| if swapped { apply(f[q], q as u8) } else { apply(q as u8, f[q]) };
                return Ok(Some((i, x, Box::new(std::array::from_fn(both)))));
            }
            Ok(None)
        }
        _ => {
            let Some(g) = table_of(net, node)? else { return Ok(None) };
            let Some((i, first)) = inner(node.inputs[0]) else { return Ok(None) };
            let Some(f) = table_of(net, first)? else { return Ok(None) };
            Ok(Some((i, first.inputs[0], Box::new(f.map(|q| g[usize::from(q)])))))
        }
    }
}

/// The table of a node that is a function of one byte, whatever its place.
fn table_of(net: &Net<'_>, node: &Node<'_>) -> Result<Option<Box<[u8; 256]>>> {
    match &node.layer {
        Layer::Engine(CpuLayer::Quantized(Quantized::Table(table))) => Ok(Some(table.clone())),
        Layer::Engine(CpuLayer::Quantized(Quantized::Function(f))) => {
            f.of_bytes(&NodeValues::of(node), &NetValues::of(net))
        }
        _ => Ok(None),
    }
}
