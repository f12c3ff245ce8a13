//! Sums, means and extremes along axes.

use arenite_abi::prelude::*;
use arenite_base::Reduction;
use arenite_layers::layer::Reduce;

use crate::device::Definition;
use crate::kernels::{self, Folding};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::task::Task;
use crate::store::layout::Layout;

/// Adds the task of a layer.
pub(super) fn build<'a>(layer: &Reduce, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let shape = builder.net.values[node.inputs[0]].shape.clone();
    let from = builder.view(node.inputs[0], Layout::of(&shape))?;
    let [kept, folded] = dims(&shape, &layer.folded, from.layout.pitch());
    let counted = [kept.len() / 2, folded.len() / 2];
    // The size of the innermost folded dimension, and the number of its lines.
    let mut sizes = folded.iter().step_by(2).rev().map(|&n| n as usize);
    let (size, lines) = (sizes.next().unwrap_or(1), sizes.product());
    let table = builder.table(&[kept, folded].concat())?;
    let layout = builder.layout_of(node.outputs[0]);
    let to = builder.output(node.outputs[0], layout)?;
    builder.clear(to);
    let numbers = Folding {
        kept: counted[0],
        folded: counted[1],
        lines,
        size,
        results: layout.len(),
        channels: layout.channels,
        pitch: layout.pitch(),
        divisor_bits: layer.divisor.to_bits(),
    };
    let fold = match layer.fold {
        Reduction::Sum => 0,
        Reduction::Max => 1,
        Reduction::Min => 2,
    };
    let call = kernels::Reduce { from: from.buffer, dims: table, numbers };
    builder.push(Task::new(call, to.buffer, vec![Definition::Number("FOLD", fold)], [layout.len(), 1, 1])?);
    Ok(())
}

/// The sizes and strides of kept and of folded dimensions.
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
