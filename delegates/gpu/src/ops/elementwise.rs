//! Functions of one tensor, and of two with broadcasting.

use arenite_abi::prelude::*;
use arenite_base::{Binary, Clamp};
use arenite_layers::layer::Elementwise;
use arenite_layers::{EpilogueOp, Id};

use crate::device::Definition;
use crate::kernels::{self, Broadcast};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::fused_task::FusedTask;
use crate::plan::task::Buffer;
use crate::store::layout::Layout;

/// Adds the tasks of a layer.
pub(super) fn build<'a>(layer: &Elementwise, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    match layer {
        Elementwise::Chain(functions) => chain(functions, node, builder),
        Elementwise::Two(function, clamp, functions) => two(*function, *clamp, functions, node, builder),
    }
}

fn chain<'a>(functions: &[EpilogueOp], node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let to = builder.layout_of(node.outputs[0]);
    let from = builder.view(node.inputs[0], to)?;
    let task = FusedTask {
        call: kernels::Chain { from: from.buffer, numbers: to.numbers() }.into(),
        definitions: Vec::new(),
        grid: [to.slices(), to.rows, 1],
        clamp: Clamp::NONE,
        functions,
    };
    task.push(builder, to, node.outputs[0]).map(drop)
}

fn two<'a>(
    function: Binary,
    clamp: Clamp,
    functions: &[EpilogueOp],
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let to = builder.layout_of(node.outputs[0]);
    let operands = [operand(builder, node.inputs[0])?, operand(builder, node.inputs[1])?];
    let shape = builder.net.values[node.outputs[0]].shape.clone();
    let outer = shape.len().saturating_sub(1);
    let dims = (0..outer).flat_map(|d| {
        let steps = operands.iter().map(move |(_, shape)| step(shape, outer, d));
        std::iter::once(shape[d]).chain(steps).collect::<Vec<_>>()
    });
    let dims: Vec<i32> = dims.map(|n| i32::try_from(n).unwrap_or(i32::MAX)).collect();
    let dims = builder.table(&dims)?;
    let [(a, a_shape), (b, b_shape)] = &operands;
    let moves = |shape: &[usize]| usize::from(shape.last().is_some_and(|&n| n > 1));
    let numbers = Broadcast {
        rank: outer,
        a_moves: moves(a_shape),
        b_moves: moves(b_shape),
        rows: to.rows,
        slices: to.slices(),
        channels: to.channels,
    };
    let task = FusedTask {
        call: kernels::Elementwise { a: *a, b: *b, dims, numbers }.into(),
        definitions: vec![Definition::Function(function)],
        grid: [to.slices(), to.rows, 1],
        clamp,
        functions,
    };
    task.push(builder, to, node.outputs[0]).map(drop)
}

/// The buffer of an operand with the layout of its shape, and its shape.
fn operand(builder: &mut Builder<'_, '_>, id: Id) -> Result<(Buffer, Vec<usize>)> {
    let shape = builder.net.values[id].shape.clone();
    Ok((builder.view(id, Layout::of(&shape))?.buffer, shape))
}

/// The stride of dimension `d` in floats, for a result with `outer` dimensions before the last.
fn step(shape: &[usize], outer: usize, d: usize) -> usize {
    let Some(own) = (d + shape.len()).checked_sub(outer + 1) else { return 0 };
    let inside: usize = shape[own + 1..].iter().rev().skip(1).product();
    if shape[own] == 1 { 0 } else { inside * Layout::of(shape).pitch() }
}
