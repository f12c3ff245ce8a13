//! Resized images.

use arenite_abi::prelude::*;
use arenite_layers::layer::Resize;
use arenite_layers::layer::resize::{Kind as ResizeKind, Neighbours};

use crate::device::Definition;
use crate::kernels::{self, Images};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::task::Task;
use crate::store::layout::Layout;

/// Adds the task of a layer.
pub(super) fn build<'a>(layer: &Resize, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let [from, to] = [node.inputs[0], node.outputs[0]].map(|id| builder.net.values[id].shape.clone());
    let (&[batches, in_rows, in_columns, _], &[_, rows, columns, _]) = (&from[..], &to[..]) else {
        return Err(unsupported!("images have 4 dimensions, these have {from:?} and {to:?}"));
    };
    // For quantized tensors, reference ops compute positions with integers.
    let ty = builder.net.values[node.inputs[0]].grid.map_or(F32, |grid| grid.ty);
    let places = [positions(layer, ty, in_rows, rows), positions(layer, ty, in_columns, columns)].concat();
    let list = |pick: fn(&Neighbours) -> usize| places.iter().map(|b| pick(b) as i32).collect::<Vec<_>>();
    let lows = builder.table(&list(|b| b.low))?;
    let highs = builder.table(&list(|b| b.high))?;
    let distances = builder.constant(None, || places.iter().map(|b| b.distance).collect())?;
    let source = builder.view(node.inputs[0], Layout::of(&from))?;
    let layout = builder.layout_of(node.outputs[0]);
    let target = builder.output(node.outputs[0], layout)?;
    let definitions = match layer.kind {
        ResizeKind::Bilinear => Vec::new(),
        ResizeKind::Nearest => vec![Definition::Flag("NEAREST")],
    };
    let numbers = Images {
        batches,
        in_rows,
        in_columns,
        out_rows: rows,
        out_columns: columns,
        slices: layout.slices(),
    };
    let call = kernels::Resize { from: source.buffer, lows, highs, distances, numbers };
    builder.push(Task::new(call, target.buffer, definitions, [layout.slices(), columns, batches * rows])?);
    Ok(())
}

/// The neighbours in an input row of each position in an output row.
fn positions(layer: &Resize, ty: ElementType, input: usize, output: usize) -> Vec<Neighbours> {
    let alignment = layer.alignment;
    let between = |at| match (layer.kind, ty) {
        (ResizeKind::Bilinear, I8) => alignment.between_of_bytes(input, output, at),
        (ResizeKind::Bilinear, _) => alignment.between(input, output, at),
        (ResizeKind::Nearest, ty) => {
            let at = alignment.nearest(if ty == F32 { 4 } else { 1 }, input, output, at);
            Neighbours { low: at, high: at, distance: 0.0 }
        }
    };
    (0..output).map(between).collect()
}
