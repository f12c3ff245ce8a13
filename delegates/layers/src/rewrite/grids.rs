//! Brings results to their grids, where values are the floats that bytes stand for.
//!
//! ```text
//! CONV_2D ─► y on a grid     =>   CONV_2D ─► r ─► [÷ scale, round, clamp, · scale] ─► y
//! ```
//! What only moves or selects elements of the same grid stays on it.

use arenite_abi::prelude::*;

use crate::ops::{Elementwise, Fold, pool_2d, resize};
use crate::{Binary, Clamp, Common, EpilogueOp, Grid, Id, Layer, Net, Node, Unary};

/// Rewrites the net.
pub(super) fn round<X>(net: &mut Net<'_, X>) {
    for mut node in std::mem::take(&mut net.nodes) {
        let mut behind = Vec::new();
        for output in &mut node.outputs {
            let to = *output;
            let Some(grid) = net.values[to].grid else { continue };
            if keeps(&node.layer) && node.inputs.iter().all(|&from| is_on(net, from, grid)) {
                continue;
            }
            *output = net.add_value(to);
            net.values[*output].grid = None;
            let layer = Common::Elementwise(Elementwise::Chain(functions(grid)));
            behind.push(Node::new(Layer::Common(layer), vec![*output], vec![to]));
        }
        net.nodes.push(node);
        net.nodes.append(&mut behind);
    }
}

/// Whether results are elements of the inputs.
fn keeps<X>(layer: &Layer<'_, X>) -> bool {
    let Layer::Common(layer) = layer else { return false };
    match layer {
        Common::Rename | Common::Moves(_) | Common::Gather(_) => true,
        Common::Pool2d(pool) => pool.kind == pool_2d::Kind::Max,
        Common::Resize(resize) => resize.kind == resize::Kind::Nearest,
        Common::Reduce(reduce) => reduce.fold != Fold::Sum,
        _ => false,
    }
}

/// Whether the value, if it has elements that results may be, is on the grid.
fn is_on<X>(net: &Net<'_, X>, id: Id, grid: Grid) -> bool {
    let value = &net.values[id];
    value.ty != F32 || value.grid == Some(grid)
}

/// What brings a result to the grid.
fn functions(Grid { ty, quant }: Grid) -> Vec<EpilogueOp> {
    let [low, high] = Grid { ty, quant }.range().map(|byte| (byte - quant.zero_point) as f32);
    vec![
        EpilogueOp::Scalar(Binary::Div, quant.scale),
        EpilogueOp::Unary(Unary::Round),
        EpilogueOp::Clamp(Clamp { low, high }),
        EpilogueOp::Scalar(Binary::Mul, quant.scale),
    ]
}
