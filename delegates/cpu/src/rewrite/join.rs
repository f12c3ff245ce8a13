//! Makes one step of a small concatenation and the nodes before it that make signed bytes unsigned, or back.
//!
//! ```text
//! i8 ─► [flip] ─► u8 ─┐
//!                     ├─► CONCATENATION ─► u8     =>     i8, u8 ─► [join] ─► u8
//!                 u8 ─┘
//! ```

use arenite_base::Dim;
use arenite_layers::layer::Moves;
use arenite_layers::layer::moves::BoxCopy;
use arenite_layers::{Common, Id};

use crate::net::{CpuLayer, Layer, Net, Node};
use crate::ops::join::Join;
use crate::ops::quantized::Quantized;
use crate::steps::join::Piece;

/// The most bytes that one thread copies.
const MOST_BYTES: usize = 1 << 13;
/// The most pieces.
const MOST_PIECES: usize = 8;

/// Rewrites the net.
pub(super) fn join(net: &mut Net<'_>) {
    let (uses, producers) = (net.uses(), net.producers());
    for i in 0..net.nodes.len() {
        let is_small = |net: &Net<'_>| net.values[net.nodes[i].outputs[0]].bytes() <= MOST_BYTES;
        let Some(mut pieces) = pieces(net, i).filter(|_| is_small(net)) else { continue };
        for (k, piece) in pieces.iter_mut().enumerate() {
            let mut id = net.nodes[i].inputs[k];
            while let Some(p) = producers[id]
                .filter(|&p| uses[id] == 1 && (net.nodes[p].layer.is_rename() || is_flip(&net.nodes[p])))
            {
                let taken = net.take(p);
                piece.is_flipped ^= is_flip(&taken);
                id = taken.inputs[0];
            }
            net.nodes[i].inputs[k] = id;
        }
        net.nodes[i].layer = Layer::Engine(CpuLayer::Join(Join { pieces }));
    }
    net.compact();
}

/// The pieces that node `i` copies to consecutive bytes, one of each input, if that is all it does.
fn pieces(net: &Net<'_>, i: usize) -> Option<Vec<Piece>> {
    let node = &net.nodes[i];
    let Layer::Common(Common::Moves(Moves { boxes, width, .. })) = &node.layer else { return None };
    let is_join = boxes.len() == node.inputs.len() && (2..=MOST_PIECES).contains(&boxes.len());
    if !is_join || node.outputs.len() != 1 {
        return None;
    }
    let piece = |(k, BoxCopy { input, nest, .. }): (usize, &BoxCopy)| {
        let len = match nest.dims[..] {
            [] => 1,
            [Dim { size, from: 1, to: 1 }] => size,
            _ => return None,
        };
        let fits = *input == Some(k) && !node.inputs[..k].contains(&node.inputs[k]);
        let [from, to, len] = [nest.from, nest.to, len].map(|elements| elements * width);
        fits.then_some(Piece { from, to, len, is_flipped: false })
    };
    boxes.iter().enumerate().map(piece).collect()
}

/// Whether the node only flips signs.
pub(crate) fn is_flip(node: &Node<'_>) -> bool {
    matches!(node.layer, Layer::Engine(CpuLayer::Quantized(Quantized::Flip)))
}

/// The value of which `id` is a part of consecutive bytes, the first of these bytes, and whether their signs are
/// flipped. Nodes that only compute `id` are removed.
pub(crate) fn trace(net: &mut Net<'_>, id: Id) -> (Id, usize, bool) {
    let (uses, producers) = (net.uses(), net.producers());
    let (mut id, mut first, mut is_flipped) = (id, 0, false);
    while let Some(i) = producers[id].filter(|_| uses[id] == 1) {
        let Some(offset) = part(net, i) else { break };
        let from = net.nodes[i].inputs[0];
        // Only a value that a step computes is in memory that the program may keep.
        if producers[from].is_none_or(|p| net.nodes[p].outputs.len() != 1) || net.outputs.contains(&from) {
            break;
        }
        is_flipped ^= is_flip(&net.nodes[i]);
        net.take(i);
        (id, first) = (from, first + offset);
    }
    net.compact();
    (id, first, is_flipped)
}

/// The first byte that node `i` copies, if it copies consecutive bytes of a value, or flips their signs.
fn part(net: &Net<'_>, i: usize) -> Option<usize> {
    let node = &net.nodes[i];
    match &node.layer {
        Layer::Common(Common::Rename) => Some(0),
        Layer::Common(Common::Moves(Moves { boxes, width, .. })) => {
            let ([BoxCopy { input: Some(0), output: 0, nest }], [_]) = (&boxes[..], &node.outputs[..]) else {
                return None;
            };
            let is_row = matches!(nest.dims[..], [] | [Dim { from: 1, to: 1, .. }]);
            let is_whole = nest.to == 0 && nest.len() == net.values[node.outputs[0]].len();
            (is_row && is_whole).then_some(nest.from * width)
        }
        _ => is_flip(node).then_some(0),
    }
}
