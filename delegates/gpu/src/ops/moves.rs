//! Elements that go to other places as they are.

use arenite_abi::prelude::*;
use arenite_layers::ops::Moves;
use arenite_layers::ops::moves::{Dim, Nest};

use super::{flagged, layout_of, plain};
use crate::builder::{Argument, Builder, Place, Task, grid, numbers};
use crate::kernel_name::KernelName;
use crate::net::Node;
use crate::work_groups::Kind;

/// The tasks of a layer, one per box.
pub fn build<'a>(layer: &Moves, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let inputs = node.inputs.iter().map(|&id| builder.place(id)).collect::<Result<Vec<_>>>()?;
    let mut outputs = Vec::with_capacity(node.outputs.len());
    for &id in &node.outputs {
        let layout = layout_of(builder, id);
        let place = builder.output(id, layout)?;
        builder.clear(place);
        outputs.push(place);
    }
    let [a, b, c, d, ..] = layer.fill;
    let fill = i32::from_le_bytes([a, b, c, d]);
    layer.boxes.iter().try_for_each(|(input, output, nest)| {
        let from = input.map(|input| inputs[input]);
        push(builder, from, outputs[*output], nest, fill)
    })
}

/// Moves all of a tensor to where its rows are cut in another way.
pub fn repack(builder: &mut Builder<'_, '_>, from: Place, to: Place) -> Result<()> {
    builder.clear(to);
    let nest = Nest::new(0, 0, [Dim { size: from.layout.len(), from: 1, to: 1 }]);
    push(builder, Some(from), to, &nest, 0)
}

/// A box without a source is filled.
pub(super) fn push(
    builder: &mut Builder<'_, '_>,
    from: Option<Place>,
    to: Place,
    nest: &Nest,
    fill: i32,
) -> Result<()> {
    if nest.is_empty() {
        return Ok(());
    }
    let source = from.unwrap_or(to);
    let whole = !source.layout.is_padded() && !to.layout.is_padded();
    let by = if whole && is_of_slices(nest) { 4 } else { 1 };
    let table = builder.table(&dims(nest, by))?;
    let count = nest.len() / by;
    // Channels, and elements from one row to the next.
    let rows = |place: Place| match by {
        4 => [1, 1],
        _ => [place.layout.channels, place.layout.pitch()],
    };
    let mut arguments = [to.buffer, source.buffer, table].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[nest.dims.len(), count, nest.from / by, nest.to / by])?);
    arguments.extend(numbers(&rows(source))?);
    arguments.extend(numbers(&rows(to))?);
    arguments.push(Argument::Number(fill));
    let flags = [("SLICES", by == 4), ("FILL", from.is_none())];
    builder.push(Task {
        kernel: plain(KernelName::Moves, flagged(flags)),
        arguments,
        grid: grid([count, 1, 1])?,
        kind: Kind::Other,
    });
    Ok(())
}

/// Of each dimension its size and both strides, in units of so many elements.
fn dims(nest: &Nest, by: usize) -> Vec<i32> {
    let mut dims = nest.dims.clone();
    if by == 4
        && let Some(inner) = dims.last_mut()
    {
        *inner = Dim { size: inner.size / 4, from: 4, to: 4 };
    }
    let whole = |n: isize| i32::try_from(n / by as isize).unwrap_or(i32::MAX);
    dims.iter().flat_map(|dim| [dim.size as i32, whole(dim.from), whole(dim.to)]).collect()
}

/// Whether the box is made of whole slices on both sides.
fn is_of_slices(nest: &Nest) -> bool {
    let Some((inner, outer)) = nest.dims.split_last() else { return false };
    let whole = |n: isize| n % 4 == 0;
    inner.from == 1
        && inner.to == 1
        && inner.size.is_multiple_of(4)
        && nest.from.is_multiple_of(4)
        && nest.to.is_multiple_of(4)
        && outer.iter().all(|dim| whole(dim.from) && whole(dim.to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_slices() {
        let inner = |size| Dim { size, from: 1, to: 1 };
        let outer = |from, to| Dim { size: 3, from, to };
        assert!(is_of_slices(&Nest::new(4, 8, [outer(16, 32), inner(8)])));
        assert!(!is_of_slices(&Nest::new(2, 8, [outer(16, 32), inner(8)])));
        assert!(!is_of_slices(&Nest::new(4, 8, [outer(18, 32), inner(8)])));
        assert!(!is_of_slices(&Nest::new(4, 8, [outer(16, 32), inner(6)])));
        assert!(!is_of_slices(&Nest::new(0, 0, [Dim { size: 4, from: 3, to: 1 }])));
    }
}
