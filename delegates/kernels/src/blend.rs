//! The pixels around each result of a resized image, for kernels of any element type.

use arenite_base::memory::{Source, Target};
use bytemuck::Pod;

/// The pixels on the left and on the right of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column<D> {
    /// The offset of the left pixel in its row, in elements.
    pub low: usize,
    /// The offset of the right pixel.
    pub high: usize,
    /// The distance from the left pixel.
    pub distance: D,
}

/// The columns of a row of results.
pub struct Columns<D> {
    list: Vec<Column<D>>,
    reach: usize,
}

impl<D> Columns<D> {
    /// These columns.
    pub fn new(list: Vec<Column<D>>) -> Self {
        let reach = list.iter().map(|column| column.low.max(column.high)).max().unwrap_or(0);
        Columns { list, reach }
    }

    /// The number of columns.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The offset of the last pixel.
    pub(crate) fn reach(&self) -> usize {
        self.reach
    }

    /// The row of results that are written to `y`, between pixels of `n` elements of two rows of `input`.
    #[inline]
    pub(crate) fn row<T: Pod>(
        &self,
        input: Source<'_, T>,
        between: RowPair<D>,
        n: usize,
        y: &mut Target<'_, T>,
    ) -> Row<D, T> {
        let RowPair { rows, distance } = between;
        Row {
            rows: rows.map(|row| input.at(row, self.reach + n)),
            end: input.at(0, input.len()).wrapping_add(input.len()),
            distance,
            columns: self.list.as_ptr(),
            count: self.list.len(),
            n,
            c: y.at(0, self.list.len() * n),
        }
    }
}

/// Two rows of pixels, and the distance from the upper one.
#[derive(Clone, Copy, Debug)]
pub struct RowPair<D> {
    /// Where the rows begin, in elements.
    pub rows: [usize; 2],
    /// The distance.
    pub distance: D,
}

impl<D: Copy> RowPair<D> {
    /// The same rows of the image that starts at element `start`.
    #[inline]
    pub fn of_image(self, start: usize) -> Self {
        RowPair { rows: self.rows.map(|row| start + row), ..self }
    }
}

/// A row of results, of elements `T`.
#[derive(Clone, Copy)]
pub struct Row<D, T = u8> {
    /// The upper and the lower row of pixels.
    pub rows: [*const T; 2],
    /// The end of the memory that may be read.
    pub end: *const T,
    /// The distance from the upper row.
    pub distance: D,
    /// The columns.
    pub columns: *const Column<D>,
    /// The number of columns.
    pub count: usize,
    /// The number of channels.
    pub n: usize,
    /// The results.
    pub c: *mut T,
}
