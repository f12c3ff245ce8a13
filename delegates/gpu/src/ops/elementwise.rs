//! Functions of one tensor, and of two with broadcasting.

use arenite_abi::prelude::*;
use arenite_layers::ops::Elementwise;
use arenite_layers::{Binary, Clamp, EpilogueOp, Id};

use super::{WithEpilogue, layout_of, push};
use crate::builder::{Argument, Buffer, Builder, numbers};
use crate::device::Definition;
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &Elementwise, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    match layer {
        Elementwise::Chain(functions) => chain(functions, node, builder),
        Elementwise::Two(function, clamp, functions) => two(*function, *clamp, functions, node, builder),
    }
}

fn chain<'a>(functions: &[EpilogueOp], node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let to = layout_of(builder, node.outputs[0]);
    let from = builder.view(node.inputs[0], to)?;
    let mut arguments = vec![Argument::Buffer(from.buffer)];
    arguments.extend(numbers(&[to.rows, to.slices(), to.channels])?);
    let task = WithEpilogue {
        name: KernelName::Chain,
        definitions: Vec::new(),
        arguments,
        grid: [to.slices(), to.rows, 1],
        kind: Kind::Other,
        clamp: Clamp::NONE,
        functions,
    };
    push(builder, task, to, node.outputs[0]).map(drop)
}

fn two<'a>(
    function: Binary,
    clamp: Clamp,
    functions: &[EpilogueOp],
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let to = layout_of(builder, node.outputs[0]);
    let operands = [operand(builder, node.inputs[0])?, operand(builder, node.inputs[1])?];
    let shape = builder.net.values[node.outputs[0]].shape.clone();
    let outer = shape.len().saturating_sub(1);
    let dims = (0..outer).flat_map(|d| {
        let steps = operands.iter().map(move |(_, shape)| step(shape, outer, d));
        std::iter::once(shape[d]).chain(steps).collect::<Vec<_>>()
    });
    let dims: Vec<i32> = dims.map(|n| i32::try_from(n).unwrap_or(i32::MAX)).collect();
    let table = builder.table(&dims)?;
    let moves = operands.clone().map(|(_, shape)| usize::from(shape.last().is_some_and(|&n| n > 1)));
    let mut arguments: Vec<Argument> = operands.iter().map(|(place, _)| Argument::Buffer(*place)).collect();
    arguments.push(Argument::Buffer(table));
    arguments.extend(numbers(&[outer, moves[0], moves[1], to.rows, to.slices(), to.channels])?);
    let task = WithEpilogue {
        name: KernelName::Elementwise,
        definitions: vec![Definition::Function(function)],
        arguments,
        grid: [to.slices(), to.rows, 1],
        kind: Kind::Other,
        clamp,
        functions,
    };
    push(builder, task, to, node.outputs[0]).map(drop)
}

/// Where an operand lies, with its rows as its shape has them; and its shape.
fn operand(builder: &mut Builder<'_, '_>, id: Id) -> Result<(Buffer, Vec<usize>)> {
    let shape = builder.net.values[id].shape.clone();
    Ok((builder.view(id, Layout::of(&shape))?.buffer, shape))
}

/// Floats from one index to the next of dimension `d` of a result with `outer` dimensions and one more.
fn step(shape: &[usize], outer: usize, d: usize) -> usize {
    let Some(own) = (d + shape.len()).checked_sub(outer + 1) else { return 0 };
    let inside: usize = shape[own + 1..].iter().rev().skip(1).product();
    if shape[own] == 1 { 0 } else { inside * Layout::of(shape).pitch() }
}
