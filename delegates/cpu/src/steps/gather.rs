//! Slices of a tensor that indices name, copied one by one.

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::gather::Groups;
use bytemuck::Pod;

use crate::kernels::copies::Copies;
use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step};

/// Indices that are kept at hand.
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
    /// The kernels.
    pub copies: &'static Copies,
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

    /// Whether all indices name slices.
    fn are_inside(&self, indices: Source<'_, u8>) -> bool {
        // Unsigned, negative numbers are larger than all sizes.
        match (self.index, u32::try_from(self.groups.axis)) {
            (I32, Ok(size)) if size <= 1 << 31 => {
                indices.cast::<i32>().iter().fold(true, |inside, index| inside & ((index as u32) < size))
            }
            _ => {
                let size = self.groups.axis as u64;
                (0..self.groups.batch * self.groups.coords).all(|i| (self.index(indices, i) as u64) < size)
            }
        }
    }

    /// The first index that names no slice.
    #[cold]
    fn outside(&self, indices: Source<'_, u8>) -> Error {
        let Groups { batch, axis, coords, .. } = self.groups;
        let all = (0..batch * coords).map(|i| (i, self.index(indices, i)));
        let (i, index) = all.into_iter().find(|&(_, index)| index as u64 >= axis as u64).unwrap_or_default();
        out_of_bounds(index, i, &self.indices, axis)
    }
}

/// The error of index `i` of the tensor with this name: its axis has `size` slices.
pub(super) fn out_of_bounds(index: i64, i: usize, name: &str, size: usize) -> Error {
    invalid!("index {index} at position {i} of '{name}' is out of bounds for 0..{size}")
}

impl Step for Gather {
    fn name(&self) -> &'static str {
        "GATHER"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let bytes = self.groups.bytes;
        let [x, indices] = self.inputs.map(|id| cx.input::<u8>(id));
        if !self.are_inside(indices) {
            return Err(self.outside(indices));
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
                _ => self.rows(slices, x, indices, &mut y),
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

    /// Copies slices of any size.
    fn rows(&self, slices: Range<usize>, x: Source<'_, u8>, indices: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let Groups { outer, axis, coords, bytes, .. } = self.groups;
        let (mut slice, mut offsets) = (slices.start, [0; FEW]);
        while slice < slices.end {
            let (block, first) = (slice / coords, slice % coords);
            let n = (slices.end - slice).min(coords - first).min(FEW);
            let at = block / outer * coords + first;
            let offset = |index: usize| (block * axis + index) * bytes;
            if self.index == I32 {
                let indices = indices.cast::<i32>().part(at, n);
                offsets.iter_mut().zip(indices.iter()).for_each(|(to, index)| *to = offset(index as usize));
            } else {
                let index = |i: usize| self.index(indices, at + i) as usize;
                offsets[..n].iter_mut().enumerate().for_each(|(i, to)| *to = offset(index(i)));
            }
            let mut y = y.part((slice - slices.start) * bytes, n * bytes);
            self.copies.gathered(bytes, x, &offsets[..n], &mut y);
            slice += n;
        }
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
