//! Merges transpositions into products of matrices, which read and write through views.
//!
//! ```text
//! x ─► TRANSPOSE ─► y ─► BATCH_MATMUL      =>   x ─► [view] BATCH_MATMUL        y is read once
//! BATCH_MATMUL ─► y ─► TRANSPOSE ─► z      =>   BATCH_MATMUL [view] ─► z
//! ```

use arenite_base::Dim;

use crate::layer::BatchMatmul;
use crate::layer::batch_matmul::View;
use crate::layer::matrices::Starts;
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
    let size = MatrixSize { rows, columns };
    let view = through(&layer.views[operand], size, |at| offset(&nest.dims, at))?;
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
    let size = MatrixSize { rows: layer.sizes.rows, columns: layer.sizes.columns };
    let view = through(&layer.views[2], size, |at| offset(&dims, at)).filter(|view| view.column == 1)?;
    Some((mover, to, view))
}

/// The source element of target element `at`; `dims` are in the target's order.
fn offset(dims: &[Dim], mut at: usize) -> usize {
    let mut from = 0;
    for dim in dims.iter().rev() {
        from += at % dim.size * dim.from as usize;
        at /= dim.size;
    }
    from
}

/// The most matrices of a transposed view, which lists their first elements.
const MOST_MATRICES: usize = 1 << 12;

/// The size of a matrix.
#[derive(Clone, Copy)]
struct MatrixSize {
    rows: usize,
    columns: usize,
}

/// A view of `rows × columns` matrices through a map of elements, if rows and columns stay evenly spaced.
fn through(view: &View, size: MatrixSize, map: impl Fn(usize) -> usize) -> Option<View> {
    let MatrixSize { rows, columns } = size;
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
    fn heads_are_viewed_through_their_transposition() {
        // [5 positions, 3 heads, 4 values] as 3 matrices of 5 × 4, and of 4 × 5.
        let heads = [(3, 4), (5, 12), (4, 1)].map(|(size, from)| Dim { size, from, to: 0 });
        let seen =
            through(&View::whole(3, 5, 4), MatrixSize { rows: 5, columns: 4 }, |at| offset(&heads, at))
                .unwrap();
        assert_eq!(seen, View { starts: Starts::Listed(vec![0, 4, 8]), row: 12, column: 1 });
        let transposed = [(3, 4), (4, 1), (5, 12)].map(|(size, from)| Dim { size, from, to: 0 });
        let seen =
            through(&View::whole(3, 4, 5), MatrixSize { rows: 4, columns: 5 }, |at| offset(&transposed, at))
                .unwrap();
        assert_eq!(seen, View { starts: Starts::Listed(vec![0, 4, 8]), row: 1, column: 12 });
        // Matrices that cross the dimensions.
        assert_eq!(
            through(&View::whole(6, 5, 2), MatrixSize { rows: 5, columns: 2 }, |at| offset(&heads, at)),
            None
        );
    }
}
