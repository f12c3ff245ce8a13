//! Slices of a tensor that indices name. Indices are checked on the host, before they go to the device.

use arenite_abi::prelude::*;
use arenite_layers::ops::Gather;
use arenite_layers::ops::gather::Groups;

use super::{flagged, layout_of, plain};
use crate::builder::{Argument, Builder, Place, Task, grid, numbers};
use crate::kernel_name::KernelName;
use crate::net::Node;
use crate::work_groups::Kind;

/// The task of a layer.
pub fn build<'a>(layer: &Gather, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let Groups { batch, outer, axis, coords, bytes } = layer.0;
    let from = builder.place(node.inputs[0])?;
    let indices = builder.indices(node.inputs[1], axis)?;
    let layout = layout_of(builder, node.outputs[0]);
    let to = builder.output(node.outputs[0], layout)?;
    builder.clear(to);
    let inner = bytes / size_of::<f32>();
    let by = match inner.is_multiple_of(4) && !from.layout.is_padded() && !layout.is_padded() {
        true => 4,
        false => 1,
    };
    let count = batch * outer * coords * inner / by;
    let rows = |place: Place| [place.layout.channels / by, place.layout.pitch() / by];
    let ([from_channels, from_pitch], [to_channels, to_pitch]) = (rows(from), rows(to));
    let mut arguments = [to.buffer, from.buffer, indices].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[
        count,
        outer,
        axis,
        coords,
        inner / by,
        from_channels,
        from_pitch,
        to_channels,
        to_pitch,
    ])?);
    builder.push(Task {
        kernel: plain(KernelName::Gather, flagged([("SLICES", by == 4)])),
        arguments,
        grid: grid([count, 1, 1])?,
        kind: Kind::Other,
    });
    Ok(())
}
