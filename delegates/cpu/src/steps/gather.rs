//! Slices of a tensor that indices name, copied one by one.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::ops::gather::Groups;

use crate::memory::Shared;
use crate::program::{Run, Step};

/// Gathers slices.
pub struct Gather {
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
    /// # Safety
    /// `indices` has an element `i` of the index type.
    unsafe fn index(&self, indices: *const u8, i: usize) -> i64 {
        // SAFETY: element `i` is there, of the type that is read.
        unsafe {
            match self.index {
                I16 => (*indices.cast::<i16>().add(i)).into(),
                I32 => (*indices.cast::<i32>().add(i)).into(),
                _ => *indices.cast::<i64>().add(i),
            }
        }
    }
}

impl Step for Gather {
    fn name(&self) -> &'static str {
        "GATHER"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Groups { batch, outer, axis, coords, bytes } = self.groups;
        let [x, indices] = self.inputs.map(|id| Shared::new(cx.place::<u8>(id)));
        let y = Shared::new(cx.place::<u8>(self.output));
        for i in 0..batch * coords {
            // SAFETY: the indices have that many elements.
            let index = unsafe { self.index(indices.get(), i) };
            ensure!(
                usize::try_from(index).is_ok_and(|index| index < axis),
                "GATHER: index {index} at position {i} lies outside of 0..{axis}"
            );
        }
        cx.parallel_for(batch * outer * coords, super::grain(bytes / 4 + 1), |range| {
            for slice in range {
                let (block, i) = (slice / coords, slice % coords);
                // SAFETY: checked above; slices of the source and of the result.
                unsafe {
                    let index = self.index(indices.get(), block / outer * coords + i) as usize;
                    let from = x.get().add((block * axis + index) * bytes);
                    std::ptr::copy_nonoverlapping(from, y.get().add(slice * bytes), bytes);
                }
            }
        })
    }
}
