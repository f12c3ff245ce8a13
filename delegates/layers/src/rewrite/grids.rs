//! Rounds results to their grids, for quantized tensors that are seen as floats.
//!
//! ```text
//! CONV_2D ─► y on a grid     =>   CONV_2D ─► r ─► [÷ scale, round, clamp, · scale] ─► y
//! ```
//! Layers that copy or select elements of the same grid need no rounding.
//!
//! Halves are rounded away from zero, as in reference ops: halves of `q − zero_point`, or of `q` for averages.

use arenite_abi::prelude::*;
use arenite_base::{Binary, Clamp, PoolKind, Quant, Reduction, Unary};

use crate::layer::{Elementwise, resize};
use crate::{Common, EpilogueOp, Grid, Id, Layer, Net, Node};

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

/// Whether the results are elements of the inputs.
fn keeps<X>(layer: &Layer<'_, X>) -> bool {
    let Layer::Common(layer) = layer else { return false };
    match layer {
        Common::Rename | Common::Moves(_) | Common::Gather(_) => true,
        Common::Pool2d(pool) => pool.kind == PoolKind::Max,
        Common::Resize(resize) => resize.kind == resize::Kind::Nearest,
        Common::Reduce(reduce) => reduce.fold != Reduction::Sum,
        _ => false,
    }
}

/// Whether a float value is on the grid; other values do not matter.
fn is_on<X>(net: &Net<'_, X>, id: Id, grid: Grid) -> bool {
    let value = &net.values[id];
    value.ty != F32 || value.grid == Some(grid)
}

/// Whether the results are averages of bytes, where halves are common.
fn averages<X>(layer: &Layer<'_, X>) -> bool {
    match layer {
        Layer::Common(Common::Pool2d(pool)) => pool.kind == PoolKind::Mean,
        Layer::Common(Common::Resize(resize)) => resize.kind == resize::Kind::Bilinear,
        _ => false,
    }
}

/// The relative growth of numbers before they are rounded to even, so that halves are rounded away from zero. No other
/// byte changes.
const GROWTH: f32 = 1.0 / (1 << 21) as f32;

/// The functions that round a result to the grid.
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

/// Floats between this and its double have a distance of 2⁻¹².
const COARSE: f32 = 2048.0;

/// The functions that round an average to the grid. It is first rounded to a multiple of 2⁻¹², so that rounding errors
/// do not hide halves.
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
