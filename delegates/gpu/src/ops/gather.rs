//! Slices of a tensor that indices select. The host checks indices before they are copied to the device.

use arenite_abi::prelude::*;
use arenite_layers::layer::Gather;
use arenite_layers::layer::gather::Groups;

use crate::device::Definition;
use crate::kernels::{self, Selection};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::task::{StoredValue, Task};

/// Adds the task of a layer.
pub(super) fn build<'a>(layer: &Gather, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let Groups { batch, outer, axis, coords, bytes } = layer.0;
    let from = builder.place(node.inputs[0])?;
    let indices = builder.indices(node.inputs[1], axis)?;
    let layout = builder.layout_of(node.outputs[0]);
    let to = builder.output(node.outputs[0], layout)?;
    builder.clear(to);
    let inner = bytes / size_of::<f32>();
    let by = match inner.is_multiple_of(4) && !from.layout.is_padded() && !layout.is_padded() {
        true => 4,
        false => 1,
    };
    let count = batch * outer * coords * inner / by;
    let rows = |place: StoredValue| [place.layout.channels / by, place.layout.pitch() / by];
    let ([from_channels, from_pitch], [to_channels, to_pitch]) = (rows(from), rows(to));
    let numbers = Selection {
        count,
        outer,
        axis,
        coords,
        inner: inner / by,
        from_channels,
        from_pitch,
        to_channels,
        to_pitch,
    };
    let flags = Definition::flags([("SLICES", by == 4)]);
    let call = kernels::Gather { from: from.buffer, indices, numbers };
    builder.push(Task::new(call, to.buffer, flags, [count, 1, 1])?);
    Ok(())
}
