//! Sums, means and extremes along axes.

use arenite_abi::prelude::*;
use arenite_layers::ops::{Fold, Reduce};

use super::{layout_of, plain};
use crate::builder::{Argument, Builder, Task, grid, numbers};
use crate::device::Definition;
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &Reduce, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let shape = builder.net.values[node.inputs[0]].shape.clone();
    let from = builder.view(node.inputs[0], Layout::of(&shape))?;
    let [kept, folded] = dims(&shape, &layer.folded, from.layout.pitch());
    let counted = [kept.len() / 2, folded.len() / 2];
    // The innermost of what is folded, and how often it is walked.
    let mut sizes = folded.iter().step_by(2).rev().map(|&n| n as usize);
    let (size, lines) = (sizes.next().unwrap_or(1), sizes.product());
    let table = builder.table(&[kept, folded].concat())?;
    let layout = layout_of(builder, node.outputs[0]);
    let to = builder.output(node.outputs[0], layout)?;
    builder.clear(to);
    let mut arguments = [to.buffer, from.buffer, table].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[
        counted[0],
        counted[1],
        lines,
        size,
        layout.len(),
        layout.channels,
        layout.pitch(),
    ])?);
    arguments.push(Argument::Number(layer.divisor.to_bits() as i32));
    let fold = match layer.fold {
        Fold::Sum => 0,
        Fold::Max => 1,
        Fold::Min => 2,
    };
    builder.push(Task {
        kernel: plain(KernelName::Reduce, vec![Definition::Number("FOLD", fold)]),
        arguments,
        grid: grid([layout.len(), 1, 1])?,
        kind: Kind::Other,
    });
    Ok(())
}

/// Of the dimensions that are kept, and of those that are folded: size, and floats from one index to the next.
fn dims(shape: &[usize], folded: &[bool], pitch: usize) -> [Vec<i32>; 2] {
    let mut dims = [Vec::new(), Vec::new()];
    for (d, (&size, &is_folded)) in shape.iter().zip(folded).enumerate() {
        let step = match d + 1 == shape.len() {
            true => 1,
            false => shape[d + 1..shape.len() - 1].iter().product::<usize>() * pitch,
        };
        dims[usize::from(is_folded)].extend([size, step].map(|n| i32::try_from(n).unwrap_or(i32::MAX)));
    }
    dims
}
