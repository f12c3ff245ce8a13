//! Lets products of matrices read and write transposed tensors where they are.
//!
//! ```text
//! x ─► TRANSPOSE ─► y ─► BATCH_MATMUL      =>   x ─► [view] BATCH_MATMUL        y is read once
//! BATCH_MATMUL ─► y ─► TRANSPOSE ─► z      =>   BATCH_MATMUL [view] ─► z
//! ```

use crate::ops::BatchMatmul;
use crate::ops::batch_matmul::View;
use crate::ops::matrices::Starts;
use crate::ops::moves::{Dim, Nest};
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

/// The one box of a node that moves all of its input to all of its output.
fn whole_move<'n, X>(net: &'n Net<'_, X>, i: usize) -> Option<(&'n Nest, Id, Id)> {
    let node = &net.nodes[i];
    let Layer::Common(Common::Moves(moves)) = &node.layer else { return None };
    let ([(Some(0), 0, nest)], [from], [to]) = (&moves.boxes[..], &node.inputs[..], &node.outputs[..]) else {
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

/// Has products see an operand, or their results, so, and takes out the node that moved it.
fn see<X>(net: &mut Net<'_, X>, i: usize, operand: usize, view: View, mover: usize) {
    if let Layer::Common(Common::BatchMatmul(layer)) = &mut net.nodes[i].layer {
        layer.views[operand] = view;
        net.take(mover);
    }
}

/// The transposition in front of an operand, what it reads, and the view of that.
fn before<X>(net: &Net<'_, X>, i: usize, operand: usize) -> Option<(usize, Id, View)> {
    let value = net.nodes[i].inputs[operand];
    let mover = net.producers()[value].filter(|_| net.uses()[value] == 1)?;
    let (nest, from, _) = whole_move(net, mover)?;
    let layer = product(net, i)?;
    let sizes = [(layer.sizes.rows, layer.sizes.depth), (layer.sizes.depth, layer.sizes.columns)][operand];
    let view = through(&layer.views[operand], sizes, |at| offset(&nest.dims, at))?;
    Some((mover, from, view))
}

/// The transposition behind the products, what it writes, and the view of that.
fn behind<X>(net: &Net<'_, X>, i: usize) -> Option<(usize, Id, View)> {
    let value = net.nodes[i].outputs[0];
    let mover = net.nodes.iter().position(|node| node.inputs.contains(&value))?;
    let (nest, _, to) = whole_move(net, mover).filter(|_| net.uses()[value] == 1)?;
    let layer = product(net, i)?;
    // Operands of the epilogue lie as the products did.
    if layer.epilogue.iter().any(|op| op.operand().is_some()) {
        return None;
    }
    let mut dims: Vec<Dim> =
        nest.dims.iter().map(|dim| Dim { from: dim.to, to: dim.from, size: dim.size }).collect();
    dims.sort_by_key(|dim| std::cmp::Reverse(dim.to));
    let sizes = (layer.sizes.rows, layer.sizes.columns);
    let view = through(&layer.views[2], sizes, |at| offset(&dims, at)).filter(|view| view.column == 1)?;
    Some((mover, to, view))
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

/// Most matrices of a view that is seen through a transposition: where each begins is listed.
const MOST_MATRICES: usize = 1 << 12;

/// A view of matrices of `rows × columns` through a map of elements, if rows and columns stay evenly apart.
fn through(view: &View, (rows, columns): (usize, usize), map: impl Fn(usize) -> usize) -> Option<View> {
    let at = |start: usize, r: usize, c: usize| map(start + r * view.row + c * view.column);
    let count = Some(view.starts.count()).filter(|count| (1..=MOST_MATRICES).contains(count))?;
    let first = view.starts.of(0);
    let origin = at(first, 0, 0);
    let step = |size: usize, next: usize| if size > 1 { next.checked_sub(origin) } else { Some(1) };
    let row = step(rows, at(first, usize::from(rows > 1), 0))?;
    let column = step(columns, at(first, 0, usize::from(columns > 1)))?;
    let mut starts = Vec::with_capacity(count);
    for start in (0..count).map(|i| view.starts.of(i)) {
        let origin = at(start, 0, 0);
        let even = |r: usize, c: usize| at(start, r, c) == origin + r * row + c * column;
        let down = (0..rows).all(|r| even(r, 0) && even(r, columns - 1));
        if !down || !(0..columns).all(|c| even(0, c) && even(rows - 1, c)) {
            return None;
        }
        starts.push(origin);
    }
    Some(View { starts: Starts::Listed(starts), row, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_seen_through_their_transposition() {
        // [5 positions, 3 heads, 4 values] as 3 matrices of 5 × 4, and of 4 × 5.
        let heads = [(3, 4), (5, 12), (4, 1)].map(|(size, from)| Dim { size, from, to: 0 });
        let seen = through(&View::whole(3, 5, 4), (5, 4), |at| offset(&heads, at)).unwrap();
        assert_eq!(seen, View { starts: Starts::Listed(vec![0, 4, 8]), row: 12, column: 1 });
        let transposed = [(3, 4), (4, 1), (5, 12)].map(|(size, from)| Dim { size, from, to: 0 });
        let seen = through(&View::whole(3, 4, 5), (4, 5), |at| offset(&transposed, at)).unwrap();
        assert_eq!(seen, View { starts: Starts::Listed(vec![0, 4, 8]), row: 1, column: 12 });
        // Matrices that are cut elsewhere than the dimensions.
        assert_eq!(through(&View::whole(6, 5, 2), (5, 2), |at| offset(&heads, at)), None);
    }
}
