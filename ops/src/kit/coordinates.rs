//! Slices of a tensor, addressed by vectors with one coordinate for each of the first axes.
//!
//! Defined by: tflite/kernels/internal/reference/reference_ops.h (`GatherNd`, `ScatterNd`, `SparseToDense`).

use arenite_abi::prelude::*;

use super::indexing::{Dims, MAX_RANK};

plain! {
    /// A tensor divided into slices, which `depth` coordinates address.
    #[derive(Clone, Copy, Debug)]
    pub struct Coordinates {
        depth: usize,
        sizes: [usize; MAX_RANK],
        slice_len: usize,
    }
}

impl Coordinates {
    /// `None` if `dims` has fewer than `depth` axes.
    pub fn new(dims: &Dims, depth: usize) -> Option<Coordinates> {
        let sizes = core::array::from_fn(|axis| dims.size(axis));
        (depth <= dims.rank()).then(|| Coordinates {
            depth,
            sizes,
            slice_len: dims.product(depth, dims.rank()),
        })
    }

    /// The number of elements in a slice.
    pub fn slice_len(&self) -> usize {
        self.slice_len
    }

    /// Calls `f(row, slice)` for each row of `indices`, which must be INT16, INT32 or INT64, until one call fails. Rows
    /// without coordinates are skipped if slices are empty, because their number is unbounded.
    ///
    /// # Errors
    /// A coordinate is out of range, or `f` fails.
    pub fn for_each(
        &self,
        indices: &TensorView<'_>,
        rows: usize,
        mut f: impl FnMut(usize, usize) -> Result<()>,
    ) -> Result<()> {
        match indices.ty {
            I16 => self.rows(indices, indices.as_slice::<i16>()?, rows, &mut f),
            I32 => self.rows(indices, indices.as_slice::<i32>()?, rows, &mut f),
            _ => self.rows(indices, indices.as_slice::<i64>()?, rows, &mut f),
        }
    }

    /// Checks all coordinates.
    ///
    /// # Errors
    /// A coordinate is out of range.
    pub fn check(&self, indices: &TensorView<'_>, rows: usize) -> Result<()> {
        if self.depth == 0 { Ok(()) } else { self.for_each(indices, rows, |_, _| Ok(())) }
    }

    fn rows<I: Element + Into<i64>>(
        &self,
        indices: &TensorView<'_>,
        list: &[I],
        rows: usize,
        f: &mut dyn FnMut(usize, usize) -> Result<()>,
    ) -> Result<()> {
        ensure!(
            rows.checked_mul(self.depth) == Some(list.len()),
            "{indices} has {} numbers for {rows} rows of {}",
            list.len(),
            self.depth
        );
        let rows = if self.depth == 0 && self.slice_len == 0 { 0 } else { rows };
        for row in 0..rows {
            let first = row * self.depth;
            let mut slice = 0;
            for (axis, &index) in list[first..first + self.depth].iter().enumerate() {
                let (index, size): (i64, _) = (index.into(), self.sizes[axis]);
                let coordinate = usize::try_from(index).ok().filter(|&coordinate| coordinate < size);
                let coordinate = coordinate.ok_or_else(|| {
                    invalid!(
                        "index {index} at position {} of {indices} is out of bounds for 0..{size}",
                        first + axis
                    )
                })?;
                slice = slice * size + coordinate;
            }
            f(row, slice)?;
        }
        Ok(())
    }
}
