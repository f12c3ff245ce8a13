//! Brings results to their grids, where values are the floats that bytes stand for.
//!
//! ```text
//! CONV_2D ─► y on a grid     =>   CONV_2D ─► r ─► [÷ scale, round, clamp, · scale] ─► y
//! ```
//! What only moves or selects elements of the same grid stays on it.
//!
//! Halves go away from zero, as reference ops have them: those of steps, or of the bytes themselves where these are averaged.

use arenite_abi::prelude::*;

use crate::ops::{Elementwise, Fold, pool_2d, resize};
use crate::{Binary, Clamp, Common, EpilogueOp, Grid, Id, Layer, Net, Node, Quant, Unary};

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
            let functions = if averages(&node.layer) { of_bytes(grid) } else { of_steps(grid) };
            let layer = Common::Elementwise(Elementwise::Chain(functions));
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

/// Whether results are averages of bytes, so that halves are common.
fn averages<X>(layer: &Layer<'_, X>) -> bool {
    match layer {
        Layer::Common(Common::Pool2d(pool)) => pool.kind == pool_2d::Kind::Mean,
        Layer::Common(Common::Resize(resize)) => resize.kind == resize::Kind::Bilinear,
        _ => false,
    }
}

/// By this much numbers grow before they are rounded to even ones: halves go away from zero, and of bytes nothing else changes.
const GROWTH: f32 = 1.0 / (1 << 21) as f32;

/// What brings a result to the grid.
fn of_steps(grid: Grid) -> Vec<EpilogueOp> {
    let Quant { scale, zero_point } = grid.quant;
    let [low, high] = grid.range().map(|byte| (byte - zero_point) as f32);
    vec![
        EpilogueOp::Scalar(Binary::Div, scale * (1.0 - GROWTH)),
        EpilogueOp::Unary(Unary::Round),
        EpilogueOp::Clamp(Clamp { low, high }),
        EpilogueOp::Scalar(Binary::Mul, scale),
    ]
}

/// Floats from here to the double are 2⁻¹² apart.
const COARSE: f32 = 2048.0;

/// What brings an average to the grid. It is a multiple of 2⁻¹² first, so that a half is one in spite of errors of floats.
fn of_bytes(grid: Grid) -> Vec<EpilogueOp> {
    let Quant { scale, zero_point } = grid.quant;
    let [low, high] = grid.range().map(|byte| byte as f32);
    let (zero_point, middle) = (zero_point as f32, 1.5 * COARSE);
    vec![
        EpilogueOp::Scalar(Binary::Div, scale),
        EpilogueOp::Scalar(Binary::Add, zero_point + middle),
        EpilogueOp::Scalar(Binary::Sub, middle),
        EpilogueOp::Scalar(Binary::Mul, 1.0 + GROWTH),
        EpilogueOp::Unary(Unary::Round),
        EpilogueOp::Clamp(Clamp { low, high }),
        EpilogueOp::Scalar(Binary::Sub, zero_point),
        EpilogueOp::Scalar(Binary::Mul, scale),
    ]
}
