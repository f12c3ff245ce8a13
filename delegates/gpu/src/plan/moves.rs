//! Copies on the device: boxes of elements, and tensors that change their layout.

use arenite_abi::prelude::*;
use arenite_base::Dim;
use arenite_layers::Id;
use arenite_layers::layer::moves::Nest;

use crate::device::Definition;
use crate::kernels::{self, MovedBox};
use crate::plan::builder::Builder;
use crate::plan::task::{StoredValue, Task};
use crate::store::layout::Layout;

impl Builder<'_, '_> {
    /// The place of a value with this layout. The value is copied if its layout differs.
    pub(crate) fn view(&mut self, id: Id, layout: Layout) -> Result<StoredValue> {
        let place = self.place(id)?;
        self.cut(id, place, layout)
    }

    /// As [`view`](Self::view), for a buffer that is declared as `Input` and may be wide. Also returns the definitions
    /// for the kernel.
    pub(crate) fn wide_view(&mut self, id: Id, layout: Layout) -> Result<(StoredValue, Vec<Definition>)> {
        let place = self.place_in_any(id)?;
        let place = self.cut(id, place, layout)?;
        let is_wide = place.precision != self.precision;
        Ok((place, is_wide.then_some(Definition::Flag("WIDE")).into_iter().collect()))
    }

    fn cut(&mut self, id: Id, place: StoredValue, layout: Layout) -> Result<StoredValue> {
        if place.layout.is_also(&layout) {
            return Ok(StoredValue { layout, ..place });
        }
        ensure!(
            place.layout.len() == layout.len(),
            "'{}' has {} elements, read are {}",
            self.net.values[id].name,
            place.layout.len(),
            layout.len()
        );
        let own = std::mem::replace(&mut self.precision, place.precision);
        let moved = self.record(layout)?;
        self.repack(place, moved)?;
        self.precision = own;
        Ok(moved)
    }

    /// Copies a tensor to a place with another layout.
    fn repack(&mut self, from: StoredValue, to: StoredValue) -> Result<()> {
        self.clear(to);
        let nest = Nest::new(0, 0, [Dim { size: from.layout.len(), from: 1, to: 1 }]);
        self.push_box(Some(from), to, &nest, 0)
    }

    /// Adds the task that moves a box; a box without a source is filled.
    pub(crate) fn push_box(
        &mut self,
        from: Option<StoredValue>,
        to: StoredValue,
        nest: &Nest,
        fill: u32,
    ) -> Result<()> {
        if nest.is_empty() {
            return Ok(());
        }
        let source = from.unwrap_or(to);
        let whole = !source.layout.is_padded() && !to.layout.is_padded();
        let by = if whole && is_of_slices(nest) { 4 } else { 1 };
        let table = self.table(&dims(nest, by))?;
        let count = nest.len() / by;
        // Channels, and the distance between rows.
        let rows = |place: StoredValue| match by {
            4 => [1, 1],
            _ => [place.layout.channels, place.layout.pitch()],
        };
        let ([from_channels, from_pitch], [to_channels, to_pitch]) = (rows(source), rows(to));
        let numbers = MovedBox {
            rank: nest.dims.len(),
            count,
            from_first: nest.from / by,
            to_first: nest.to / by,
            from_channels,
            from_pitch,
            to_channels,
            to_pitch,
            fill_bits: fill,
        };
        let flags = Definition::flags([("SLICES", by == 4), ("FILL", from.is_none())]);
        let call = kernels::Moves { from: source.buffer, dims: table, numbers };
        self.push(Task::new(call, to.buffer, flags, [count, 1, 1])?);
        Ok(())
    }
}

/// The size and both strides of each dimension, in units of `by` elements.
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

/// Whether the box consists of whole slices in source and target.
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
    fn boxes_of_whole_slices() {
        let inner = |size| Dim { size, from: 1, to: 1 };
        let outer = |from, to| Dim { size: 3, from, to };
        assert!(is_of_slices(&Nest::new(4, 8, [outer(16, 32), inner(8)])));
        assert!(!is_of_slices(&Nest::new(2, 8, [outer(16, 32), inner(8)])));
        assert!(!is_of_slices(&Nest::new(4, 8, [outer(18, 32), inner(8)])));
        assert!(!is_of_slices(&Nest::new(4, 8, [outer(16, 32), inner(6)])));
        assert!(!is_of_slices(&Nest::new(0, 0, [Dim { size: 4, from: 3, to: 1 }])));
    }
}
