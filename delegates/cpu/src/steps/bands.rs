//! Concatenates a few rows at a time, so that the result may overwrite the part of an operand that was already read.
//!
//! ```text
//! a  │ 0 │ 1 │ 2 │ 3 │                       rows 0 of a and b, then rows 1, …
//! b  │ 0 │ 1 │ 2 │ 3 │      =>   │ 0 0 │ 1 1 │ 2 2 │ 3 3 │
//!                                        b in the same memory:  │ 0 │ 1 │ 2 │ 3 │
//! ```

use arenite_abi::prelude::*;
use arenite_base::Dim;
use arenite_layers::Id;
use arenite_layers::layer::moves::Nest;

use super::moves::{Kernels, Moves};
use crate::memory::Lead;
use crate::step::{Run, Step};

/// Bytes of a result that is worth it.
const LARGE: usize = 1 << 19;
/// Parts that rows are cut into.
const BANDS: usize = 4;

/// Moves that run in order.
pub(crate) struct Bands {
    name: &'static str,
    bands: Vec<Moves>,
    /// Per input, how many bytes before it the result has to start.
    behind: Vec<(Id, u64)>,
}

impl Bands {
    /// Of boxes that are the rows of one input each, side by side in the output; `None` if they are not, or are not
    /// worth it.
    pub(crate) fn of(
        name: &'static str,
        kernels: Kernels,
        boxes: &[(Option<Id>, Id, Nest)],
    ) -> Option<Bands> {
        let rows = |nest: &Nest| match nest.dims[..] {
            [outer, Dim { size, from: 1, to: 1 }] if outer.from == size as isize => Some(outer),
            _ => None,
        };
        let (_, output, first) = boxes.first()?;
        let Dim { size: count, to: row, .. } = rows(first)?;
        let alike = |(from, to, nest): &(Option<Id>, Id, Nest)| {
            from.is_some() && to == output && rows(nest).is_some_and(|dim| (dim.size, dim.to) == (count, row))
        };
        if boxes.len() < 2 || count < BANDS || !boxes.iter().all(alike) {
            return None;
        }
        let (row, width) = (row as usize, kernels.transpose.width);
        if count * row * width < LARGE {
            return None;
        }
        let cut = |k: usize| k * count / BANDS;
        let band = |k: usize| {
            let part = |(from, to, nest): &(Option<Id>, Id, Nest)| {
                let (outer, inner) = (nest.dims[0], nest.dims[1]);
                let first = cut(k);
                let rows = Dim { size: cut(k + 1) - first, ..outer };
                let start = [(nest.from, inner.size), (nest.to, row)].map(|(at, row)| at + first * row);
                (*from, *to, Nest::new(start[0], start[1], [rows, inner]))
            };
            Moves::new(name, kernels, [0; 16], boxes.iter().map(part))
        };
        let distance = |part: usize| {
            let needed = (0..BANDS).map(|k| cut(k + 1) * row - (cut(k) * part).min(cut(k + 1) * row));
            (needed.max().unwrap_or(0) * width) as u64
        };
        let behind = boxes.iter().filter_map(|(from, _, nest)| Some(((*from)?, distance(nest.dims[1].size))));
        Some(Bands { name, bands: (0..BANDS).map(band).collect(), behind: behind.collect() })
    }
}

impl Step for Bands {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        self.bands.iter().try_for_each(|band| band.run(cx))
    }

    fn lead(&self, input: Id) -> Option<Lead> {
        let mut found = self.behind.iter().filter(|(id, _)| *id == input);
        // SAFETY: bands run in order, and `of` computed the distance at which no band writes an element before it was
        // read.
        let behind = |&(_, distance): &(Id, u64)| unsafe { Lead::of(distance) };
        found.next().filter(|_| found.next().is_none()).map(behind)
    }
}
