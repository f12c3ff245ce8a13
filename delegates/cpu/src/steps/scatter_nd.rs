//! Slices added to the slices of a tensor of zeros that index vectors address, in the order of the updates.
//!
//! ```text
//! indices [rows, depth]   updates [rows, slice]   y [sizes…, slice]:   y[indices[i]] += updates[i]
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Id;
use bytemuck::Pod;

use super::gather::out_of_bounds;
use crate::kernels::scatter::{Addition, Scatter};
use crate::memory::{Disjoint, Source};
use crate::step::{Grain, Run, Step};

/// Elements of a slice that one thread adds at a time.
const COLUMNS: usize = 1 << 12;
/// Updates that are added together.
const ROWS: usize = 64;
/// Groups of updates after which cancellation is polled.
const LOOK: usize = 16;

/// Adds slices.
pub(crate) struct ScatterNd {
    /// The kernels.
    pub scatter: &'static Scatter,
    /// The sizes of the axes that the numbers of an index address.
    pub sizes: Vec<usize>,
    /// The elements of a slice.
    pub slice: usize,
    /// The type of updates and results: FLOAT32, INT32 or INT64.
    pub element: ElementType,
    /// The indices, of INT32, and the updates.
    pub inputs: [Id; 2],
    /// The name of the indices.
    pub indices: String,
    /// Written.
    pub output: Id,
}

impl ScatterNd {
    /// An error if an index is outside of its axis.
    fn check(&self, indices: Source<'_, i32>) -> Result<()> {
        for (i, index) in indices.iter().enumerate() {
            let size = self.sizes[i % self.sizes.len()];
            if !usize::try_from(index).is_ok_and(|index| index < size) {
                return Err(out_of_bounds(index.into(), i, &self.indices, size));
            }
        }
        Ok(())
    }

    /// The first element of the slice that index vector `row` addresses.
    fn place(&self, indices: Source<'_, i32>, row: usize) -> usize {
        let numbers = self.sizes.iter().enumerate();
        let of_axis =
            |(axis, size): (usize, &usize)| (indices.get(row * self.sizes.len() + axis) as usize, *size);
        numbers.map(of_axis).fold(0, |place, (index, size)| place * size + index) * self.slice
    }

    fn add<T: Pod + Send + Sync>(&self, cx: &Run<'_>, addition: &Addition<T>) -> Result<()> {
        let (indices, updates) = (cx.input::<i32>(self.inputs[0]), cx.input::<T>(self.inputs[1]));
        self.check(indices)?;
        let mut y = cx.output::<T>(self.output);
        y.fill(T::zeroed());
        let (slice, y) = (self.slice, y.share());
        let count = updates.len() / slice;
        for (group, first) in (0..count).step_by(ROWS).enumerate() {
            if group > 0 && group.is_multiple_of(LOOK) && cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            let (rows, mut places) = (ROWS.min(count - first), [0; ROWS]);
            let places = &mut places[..rows];
            places.iter_mut().enumerate().for_each(|(i, place)| *place = self.place(indices, first + i));
            let updates = updates.part(first * slice, rows * slice);
            self.add_group(cx, addition, updates, places, y)?;
        }
        Ok(())
    }

    fn add_group<T: Pod + Send + Sync>(
        &self,
        cx: &Run<'_>,
        addition: &Addition<T>,
        updates: Source<'_, T>,
        places: &[usize],
        y: Disjoint<'_, T>,
    ) -> Result<()> {
        let slice = self.slice;
        cx.parallel_for(slice.div_ceil(COLUMNS), Grain::of_cost(ROWS * COLUMNS), |chunks| {
            for first in chunks.map(|chunk| chunk * COLUMNS) {
                let columns = first..slice.min(first + COLUMNS);
                // SAFETY: places are multiples of `slice`, so different columns of slices never overlap; each chunk of
                // columns is one thread's, and groups of updates run one after the other.
                unsafe { addition.add(columns, (updates, slice), places, y) };
            }
        })
    }
}

impl Step for ScatterNd {
    fn name(&self) -> &'static str {
        "SCATTER_ND"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        match self.element {
            F32 => self.add(cx, &self.scatter.add_f32),
            I32 => self.add(cx, &self.scatter.add_i32),
            _ => self.add(cx, &self.scatter.add_i64),
        }
    }
}
