//! Lets products of matrices read and write transposed tensors where they are.
//!
//! ```text
//! x ─► TRANSPOSE ─► y ─► BATCH_MATMUL      =>   x ─► [view] BATCH_MATMUL        y is read once
//! BATCH_MATMUL ─► y ─► TRANSPOSE ─► z      =>   BATCH_MATMUL [view] ─► z
//! ```

use crate::net::{Id, Net};
use crate::ops::Layer;
use crate::steps::matmul_f32::View;
use crate::steps::moves::{Dim, Nest};

/// Rewrites the net.
pub fn view(net: &mut Net<'_>) {
    for i in 0..net.nodes.len() {
        if matches!(net.nodes[i].layer, Layer::BatchMatmul(_)) {
            (0..2).for_each(|operand| read(net, i, operand));
            write(net, i);
        }
    }
    net.nodes.retain(|node| !matches!(node.layer, Layer::Nothing));
}

/// The one box of a node that moves all of its input to all of its output.
fn whole_move<'n>(net: &'n Net<'_>, i: usize) -> Option<(&'n Nest, Id, Id)> {
    let node = &net.nodes[i];
    let Layer::Moves(moves) = &node.layer else { return None };
    let ([(Some(0), 0, nest)], [from], [to]) = (&moves.boxes[..], &node.inputs[..], &node.outputs[..]) else {
        return None;
    };
    let all = nest.from == 0 && nest.to == 0 && nest.len() == net.values[*from].len();
    (all && nest.len() == net.values[*to].len()).then_some((nest, *from, *to))
}

/// Takes the transposition in front of an operand.
fn read(net: &mut Net<'_>, i: usize, operand: usize) {
    let (uses, producers) = (net.uses(), net.producers());
    let value = net.nodes[i].inputs[operand];
    let Some(mover) = producers[value].filter(|_| uses[value] == 1) else { return };
    let Some((nest, from, _)) = whole_move(net, mover) else { return };
    let Layer::BatchMatmul(layer) = &net.nodes[i].layer else { return };
    let dims: Vec<Dim> = nest.dims.clone();
    let sizes = [(layer.sizes.rows, layer.sizes.depth), (layer.sizes.depth, layer.sizes.columns)][operand];
    let Some(seen) = through(&layer.views[operand], sizes, |at| offset(&dims, at)) else { return };
    let Layer::BatchMatmul(layer) = &mut net.nodes[i].layer else { return };
    layer.views[operand] = seen;
    net.nodes[i].inputs[operand] = from;
    (net.nodes[mover].layer, net.nodes[mover].inputs, net.nodes[mover].outputs) =
        (Layer::Nothing, Vec::new(), Vec::new());
}

/// Takes the transposition behind the products.
fn write(net: &mut Net<'_>, i: usize) {
    let uses = net.uses();
    let value = net.nodes[i].outputs[0];
    let Some(mover) = net.nodes.iter().position(|node| node.inputs.contains(&value)) else { return };
    let Some((nest, _, to)) = whole_move(net, mover).filter(|_| uses[value] == 1) else { return };
    let Layer::BatchMatmul(layer) = &net.nodes[i].layer else { return };
    // Operands of functions lie as the products did.
    if layer.posts.iter().any(|post| post.operand().is_some()) {
        return;
    }
    let mut dims: Vec<Dim> =
        nest.dims.iter().map(|dim| Dim { from: dim.to, to: dim.from, size: dim.size }).collect();
    dims.sort_by_key(|dim| std::cmp::Reverse(dim.to));
    let sizes = (layer.sizes.rows, layer.sizes.columns);
    let seen = through(&layer.views[2], sizes, |at| offset(&dims, at)).filter(|view| view.column == 1);
    let Some(seen) = seen else { return };
    let Layer::BatchMatmul(layer) = &mut net.nodes[i].layer else { return };
    layer.views[2] = seen;
    net.nodes[i].outputs[0] = to;
    (net.nodes[mover].layer, net.nodes[mover].inputs, net.nodes[mover].outputs) =
        (Layer::Nothing, Vec::new(), Vec::new());
}

/// The element of the source for element `at` of the target, whose dimensions these are in order.
fn offset(dims: &[Dim], mut at: usize) -> usize {
    let mut from = 0;
    for dim in dims.iter().rev() {
        from += at % dim.size * dim.from as usize;
        at /= dim.size;
    }
    from
}

/// A view of matrices of `rows × columns` through a map of elements, if rows and columns stay evenly apart.
fn through(view: &View, (rows, columns): (usize, usize), map: impl Fn(usize) -> usize) -> Option<View> {
    let at = |start: usize, r: usize, c: usize| map(start + r * view.row + c * view.column);
    let first = *view.starts.first()?;
    let origin = at(first, 0, 0);
    let step = |size: usize, next: usize| if size > 1 { next.checked_sub(origin) } else { Some(1) };
    let row = step(rows, at(first, usize::from(rows > 1), 0))?;
    let column = step(columns, at(first, 0, usize::from(columns > 1)))?;
    let mut starts = Vec::with_capacity(view.starts.len());
    for &start in &view.starts {
        let origin = at(start, 0, 0);
        let even = |r: usize, c: usize| at(start, r, c) == origin + r * row + c * column;
        let down = (0..rows).all(|r| even(r, 0) && even(r, columns - 1));
        if !down || !(0..columns).all(|c| even(0, c) && even(rows - 1, c)) {
            return None;
        }
        starts.push(origin);
    }
    Some(View { starts, row, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_seen_through_their_transposition() {
        // [5 positions, 3 heads, 4 values] as 3 matrices of 5 × 4, and of 4 × 5.
        let heads = [(3, 4), (5, 12), (4, 1)].map(|(size, from)| Dim { size, from, to: 0 });
        let seen = through(&View::whole(3, 5, 4), (5, 4), |at| offset(&heads, at)).unwrap();
        assert_eq!(seen, View { starts: vec![0, 4, 8], row: 12, column: 1 });
        let turned = [(3, 4), (4, 1), (5, 12)].map(|(size, from)| Dim { size, from, to: 0 });
        let seen = through(&View::whole(3, 4, 5), (4, 5), |at| offset(&turned, at)).unwrap();
        assert_eq!(seen, View { starts: vec![0, 4, 8], row: 1, column: 12 });
        // Matrices that are cut elsewhere than the dimensions.
        assert_eq!(through(&View::whole(6, 5, 2), (5, 2), |at| offset(&heads, at)), None);
    }
}
