//! Merges transpositions into products of matrices, which read and write through views.
//!
//! ```text
//! x ─► TRANSPOSE ─► y ─► BATCH_MATMUL      =>   x ─► [view] BATCH_MATMUL        y is read once
//! BATCH_MATMUL ─► y ─► TRANSPOSE ─► z      =>   BATCH_MATMUL [view] ─► z
//! ```

use arenite_base::Dim;

use crate::layer::BatchMatmul;
use crate::layer::batch_matmul::View;
use crate::layer::moves::BoxCopy;
use crate::layer::moves::Nest;
use crate::{Common, Id, Layer, Net};

/// Rewrites the net.
pub(super) fn view<X>(net: &mut Net<'_, X>) {
    for i in 0..net.nodes.len() {
        if matches!(net.nodes[i].layer, Layer::Common(Common::BatchMatmul(_))) {
            for operand in 0..2 {
                if let Some((mover, from, view)) = before(net, i, operand) {
                    net.nodes[i].inputs[operand] = from;
                    see(net, i, operand, view, mover);
                }
            }
            if let Some((mover, to, view)) = behind(net, i) {
                net.nodes[i].outputs[0] = to;
                see(net, i, 2, view, mover);
            }
        }
    }
    net.compact();
}

/// The box of a node that copies its whole input to its whole output.
fn whole_move<'n, X>(net: &'n Net<'_, X>, i: usize) -> Option<(&'n Nest, Id, Id)> {
    let node = &net.nodes[i];
    let Layer::Common(Common::Moves(moves)) = &node.layer else { return None };
    let ([BoxCopy { input: Some(0), output: 0, nest }], [from], [to]) =
        (&moves.boxes[..], &node.inputs[..], &node.outputs[..])
    else {
        return None;
    };
    let all = nest.from == 0 && nest.to == 0 && nest.len() == net.values[*from].len();
    (all && nest.len() == net.values[*to].len()).then_some((nest, *from, *to))
}

fn product<'n, 'a, X>(net: &'n Net<'a, X>, i: usize) -> Option<&'n BatchMatmul<'a>> {
    match &net.nodes[i].layer {
        Layer::Common(Common::BatchMatmul(layer)) => Some(layer),
        _ => None,
    }
}

/// Lets the products of node `i` access an operand, or the result, through `view`, and removes the transposition
/// `mover`.
fn see<X>(net: &mut Net<'_, X>, i: usize, operand: usize, view: View, mover: usize) {
    if let Layer::Common(Common::BatchMatmul(layer)) = &mut net.nodes[i].layer {
        layer.views[operand] = view;
        net.take(mover);
    }
}

/// The transposition before an operand, its input, and the view of its input.
fn before<X>(net: &Net<'_, X>, i: usize, operand: usize) -> Option<(usize, Id, View)> {
    let value = net.nodes[i].inputs[operand];
    let mover = net.producers()[value].filter(|_| net.uses()[value] == 1)?;
    let (nest, from, _) = whole_move(net, mover)?;
    let layer = product(net, i)?;
    let [rows, columns] =
        [[layer.sizes.rows, layer.sizes.depth], [layer.sizes.depth, layer.sizes.columns]][operand];
    let view = layer.views[operand].through([rows, columns], |at| nest.source(at))?;
    Some((mover, from, view))
}

/// The transposition after the products, its output, and the view of its output.
fn behind<X>(net: &Net<'_, X>, i: usize) -> Option<(usize, Id, View)> {
    let value = net.nodes[i].outputs[0];
    let mover = net.nodes.iter().position(|node| node.inputs.contains(&value))?;
    let (nest, _, to) = whole_move(net, mover).filter(|_| net.uses()[value] == 1)?;
    let layer = product(net, i)?;
    // Operands of the epilogue have the layout of the products.
    if layer.epilogue.iter().any(|op| op.operand().is_some()) {
        return None;
    }
    let mut dims: Vec<Dim> =
        nest.dims.iter().map(|dim| Dim { from: dim.to, to: dim.from, size: dim.size }).collect();
    dims.sort_by_key(|dim| std::cmp::Reverse(dim.to));
    let back = Nest { from: 0, to: 0, dims };
    let size = [layer.sizes.rows, layer.sizes.columns];
    let view = layer.views[2].through(size, |at| back.source(at)).filter(|view| view.column == 1)?;
    Some((mover, to, view))
}
