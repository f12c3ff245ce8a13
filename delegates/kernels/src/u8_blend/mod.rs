//! Weighted means of four pixels of bytes, for a row of results of a resized image.
//!
//! ```text
//!            low   high
//! row 0:      a ──── b       reals:  a·(1−v)(1−u) + b·(1−v)u + c·v(1−u) + d·vu, from left to right, + ½, rounded down
//! row 1:      c ──── d       fixed:  the same sum with 20 binary digits, half away from 128
//! ```
//! Both round like the reference op: `reals` for unsigned bytes, `fixed` for signed bytes, which are stored with 128
//! added.

mod body;

use arenite_base::memory::{Source, Target};
use bytemuck::Pod;

use crate::isa::Isa;
use crate::simd::*;

/// Binary digits of a distance in fixed point.
pub const DIGITS: u32 = 10;

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
    /// The offset of the last pixel.
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

impl Blend {
    /// A row of means, computed with `f32`. Pixels have `n` bytes.
    #[inline]
    pub fn real_row(
        &self,
        input: Source<'_, u8>,
        between: RowPair<f32>,
        columns: &Columns<f32>,
        n: usize,
        y: &mut Target<'_, u8>,
    ) {
        // SAFETY: the machine can run a selected member; `row` checked that all pixels and results exist.
        unsafe { (self.reals)(&columns.row(input, between, n, y)) }
    }

    /// A row of means, computed in fixed point. Pixels have `n` bytes.
    #[inline]
    pub fn fixed_row(
        &self,
        input: Source<'_, u8>,
        between: RowPair<i32>,
        columns: &Columns<i32>,
        n: usize,
        y: &mut Target<'_, u8>,
    ) {
        let has_few_pixels = columns.reach + n <= 2 * columns.count() * n;
        let kernel = if has_few_pixels { self.fixed_by_rows } else { self.fixed };
        // SAFETY: the machine can run a selected member; `row` checked that all pixels and results exist.
        unsafe { kernel(&columns.row(input, between, n, y)) }
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

/// The family for one instruction set. Its functions are unsafe to call: the machine must have the instructions, pixels
/// must be readable for `n` bytes and before `end`, and `count · n` results writable.
#[non_exhaustive]
pub struct Blend {
    /// The name, such as `u8_blend__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Computes with `f32`.
    pub reals: unsafe fn(&Row<f32>),
    /// Computes in fixed point, with distances of [`DIGITS`] binary digits.
    pub fixed: unsafe fn(&Row<i32>),
    /// The same, faster unless most pixels are skipped.
    pub fixed_by_rows: unsafe fn(&Row<i32>),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Blend { name: $name, isa: $isa, reals, fixed, fixed_by_rows }
    };
}

family! {
    Blend: "u8_blend" {
        fn reals(row: &Row<f32>);
        fn fixed(row: &Row<i32>);
        fn fixed_by_rows(row: &Row<i32>);
    }
    vectors
}
member_of_table!(Blend);

#[cfg(test)]
mod tests;
