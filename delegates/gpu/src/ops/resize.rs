//! Images of another size.

use arenite_abi::prelude::*;
use arenite_layers::ops::Resize;
use arenite_layers::ops::resize::{Between, Kind as Computes};

use super::{layout_of, plain};
use crate::builder::{Argument, Builder, Task, grid, numbers};
use crate::device::Definition;
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &Resize, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let [from, to] = [node.inputs[0], node.outputs[0]].map(|id| builder.net.values[id].shape.clone());
    let (&[batches, in_rows, in_columns, _], &[_, rows, columns, _]) = (&from[..], &to[..]) else {
        return Err(unsupported!("images have 4 dimensions, these have {from:?} and {to:?}"));
    };
    // Reference ops round places of bytes in ways of their own.
    let ty = builder.net.values[node.inputs[0]].grid.map_or(F32, |grid| grid.ty);
    let between = |input: usize, output: usize, at: usize| match (layer.kind, ty) {
        (Computes::Bilinear, I8) => layer.alignment.between_of_bytes(input, output, at),
        (Computes::Bilinear, _) => layer.alignment.between(input, output, at),
        (Computes::Nearest, ty) => {
            let at = layer.alignment.nearest(if ty == F32 { 4 } else { 1 }, input, output, at);
            Between { low: at, high: at, distance: 0.0 }
        }
    };
    let places: Vec<Between> = (0..rows)
        .map(|at| between(in_rows, rows, at))
        .chain((0..columns).map(|at| between(in_columns, columns, at)))
        .collect();
    let list = |pick: fn(&Between) -> usize| places.iter().map(|b| pick(b) as i32).collect::<Vec<_>>();
    let lows = builder.table(&list(|b| b.low))?;
    let highs = builder.table(&list(|b| b.high))?;
    let distances = builder.constant(None, || places.iter().map(|b| b.distance).collect())?;
    let source = builder.view(node.inputs[0], Layout::of(&from))?;
    let layout = layout_of(builder, node.outputs[0]);
    let target = builder.output(node.outputs[0], layout)?;
    let mut arguments = [target.buffer, source.buffer, lows, highs, distances].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[batches, in_rows, in_columns, rows, columns, layout.slices()])?);
    let definitions = match layer.kind {
        Computes::Bilinear => Vec::new(),
        Computes::Nearest => vec![Definition::Flag("NEAREST")],
    };
    builder.push(Task {
        kernel: plain(KernelName::Resize, definitions),
        arguments,
        grid: grid([layout.slices(), columns, batches * rows])?,
        kind: Kind::Other,
    });
    Ok(())
}
