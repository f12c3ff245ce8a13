//! Slices of a tensor that indices name, copied one by one.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::gather::Groups;

use crate::memory::Source;
use crate::step::{Grain, Run, Step};

/// Gathers slices.
pub(crate) struct Gather {
    /// Sizes.
    pub groups: Groups,
    /// The type of indices: INT16, INT32 or INT64.
    pub index: ElementType,
    /// The tensor and the indices.
    pub inputs: [Id; 2],
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
        let Groups { batch, outer, axis, coords, bytes } = self.groups;
        let [x, indices] = self.inputs.map(|id| cx.input::<u8>(id));
        for i in 0..batch * coords {
            let index = self.index(indices, i);
            ensure!(
                usize::try_from(index).is_ok_and(|index| index < axis),
                "GATHER: index {index} at position {i} lies outside of 0..{axis}"
            );
        }
        if bytes == 0 {
            return Ok(());
        }
        cx.parallel_parts(
            cx.output::<u8>(self.output),
            bytes,
            Grain::of_cost(bytes / 4 + 1),
            |slices, mut y| {
                let first = slices.start;
                for slice in slices {
                    let (block, i) = (slice / coords, slice % coords);
                    let index = self.index(indices, block / outer * coords + i) as usize;
                    let from = x.part((block * axis + index) * bytes, bytes);
                    y.part((slice - first) * bytes, bytes).copy_from(from);
                }
            },
        )
    }
}
