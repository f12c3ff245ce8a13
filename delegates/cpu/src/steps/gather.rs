//! Slices of a tensor that indices name, copied one by one.

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::gather::Groups;
use bytemuck::Pod;

use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step};

/// Indices that are kept at hand where many blocks are gathered by the same ones.
const FEW: usize = 64;

/// Gathers slices.
pub(crate) struct Gather {
    /// Sizes.
    pub groups: Groups,
    /// The type of indices: INT16, INT32 or INT64.
    pub index: ElementType,
    /// The bytes of an element.
    pub width: usize,
    /// The tensor and the indices.
    pub inputs: [Id; 2],
    /// The name of the indices.
    pub indices: String,
    /// Written.
    pub output: Id,
}

impl Gather {
    /// Index `i`.
    fn index(&self, indices: Source<'_, u8>, i: usize) -> i64 {
        match self.index {
            I16 => indices.cast::<i16>().get(i).into(),
            I32 => indices.cast::<i32>().get(i).into(),
            _ => indices.cast::<i64>().get(i),
        }
    }
}

impl Step for Gather {
    fn name(&self) -> &'static str {
        "GATHER"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Groups { batch, axis, coords, bytes, .. } = self.groups;
        let [x, indices] = self.inputs.map(|id| cx.input::<u8>(id));
        for i in 0..batch * coords {
            let index = self.index(indices, i);
            ensure!(
                usize::try_from(index).is_ok_and(|index| index < axis),
                "index {index} at position {i} of '{}' is out of bounds for 0..{axis}",
                self.indices
            );
        }
        if bytes == 0 {
            return Ok(());
        }
        let y = cx.output::<u8>(self.output);
        cx.parallel_parts(y, bytes, Grain::of_cost(bytes / 4 + 1), |slices, mut y| {
            match (bytes, self.width) {
                (1, 1) => self.elements::<u8>(slices, x, indices, y),
                (2, 2) => self.elements::<u16>(slices, x, indices, y),
                (4, 4) => self.elements::<u32>(slices, x, indices, y),
                _ => self.each(slices, indices, |slice, from| {
                    y.part(slice * bytes, bytes).copy_from(x.part(from * bytes, bytes));
                }),
            }
        })
    }
}

impl Gather {
    /// Copies slices of one element.
    fn elements<T: Pod>(
        &self,
        slices: Range<usize>,
        x: Source<'_, u8>,
        indices: Source<'_, u8>,
        y: Target<'_, u8>,
    ) {
        let (x, mut y) = (x.cast::<T>(), y.cast::<T>());
        let Groups { batch, axis, coords, .. } = self.groups;
        if batch == 1 && coords <= FEW && slices.len() > 2 * coords {
            let mut list = [0; FEW];
            list[..coords].iter_mut().enumerate().for_each(|(i, at)| *at = self.index(indices, i) as usize);
            let (mut block, mut i) = (slices.start / coords, slices.start % coords);
            for slice in 0..slices.len() {
                y.set(slice, x.get(block * axis + list[i]));
                i += 1;
                if i == coords {
                    (block, i) = (block + 1, 0);
                }
            }
            return;
        }
        self.each(slices, indices, |slice, from| y.set(slice, x.get(from)));
    }

    /// Calls `f` with the number of each slice, from 0, and the number of the tensor's slice that it copies.
    fn each(&self, slices: Range<usize>, indices: Source<'_, u8>, mut f: impl FnMut(usize, usize)) {
        let Groups { outer, axis, coords, .. } = self.groups;
        let mut slice = slices.start;
        while slice < slices.end {
            let (block, first) = (slice / coords, slice % coords);
            let end = slices.end.min(slice + coords - first);
            for (i, slice) in (first..).zip(slice..end) {
                let index = self.index(indices, block / outer * coords + i) as usize;
                f(slice - slices.start, block * axis + index);
            }
            slice = end;
        }
    }
}
