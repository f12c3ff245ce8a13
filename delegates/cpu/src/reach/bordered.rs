//! Images of bytes that a step writes twice: plain, and with a border on the left and the right for the layer that
//! reads them next. Each thread copies its own results while its caches have them.
//!
//! ```text
//! results:    row 0 row 1 …
//! copy:       │before│ row 0 │after││before│ row 1 │after│ …
//! ```
//! If no layer reads the plain image, results are written to their places in the copy.

use std::ops::Range;

use arenite_layers::Id;

use crate::memory::Disjoint;

/// The border of a row, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Border {
    pub before: usize,
    pub after: usize,
    /// All its bytes.
    pub fill: u8,
}

/// The copy with a border.
#[derive(Clone, Copy)]
pub(crate) struct Bordered {
    /// The value.
    pub id: Id,
    /// Bytes of a pixel.
    pub pixel: usize,
    /// Bytes of a row without its border.
    pub row: usize,
    pub border: Border,
}

/// The same bytes of some pixels of a row.
struct Part {
    /// The row.
    y: usize,
    /// The first byte in the row.
    first: usize,
    /// The number of runs, which start a pixel after one another.
    runs: usize,
    /// Bytes of a run.
    len: usize,
}

impl Bordered {
    /// Copies the bytes `range` of `results`, and the borders next to them, to `copy`, the tensor.
    ///
    /// # Safety
    /// This thread must have written the results. No other thread may copy any of them.
    pub(crate) unsafe fn copy(&self, results: Disjoint<'_, u8>, range: Range<usize>, copy: Disjoint<'_, u8>) {
        let (mut y, mut first) = (range.start / self.row, range.start % self.row);
        let mut at = range.start;
        while at < range.end {
            let len = (self.row - first).min(range.end - at);
            // SAFETY: as this function requires.
            unsafe { self.copy_part(results, &Part { y, first, runs: 1, len }, copy) };
            at += len;
            (y, first) = (y + 1, 0);
        }
    }

    /// Copies `columns` of each pixel of `pixels`, counted through all rows, as [`copy`](Self::copy) does.
    ///
    /// # Safety
    /// See [`copy`](Self::copy).
    pub(crate) unsafe fn copy_columns(
        &self,
        results: Disjoint<'_, u8>,
        (pixels, columns): (Range<usize>, &Range<usize>),
        copy: Disjoint<'_, u8>,
    ) {
        let (width, len) = (self.row / self.pixel, columns.len());
        if len == self.pixel {
            // SAFETY: as this function requires.
            return unsafe { self.copy(results, pixels.start * len..pixels.end * len, copy) };
        }
        let (mut y, mut x) = (pixels.start / width, pixels.start % width);
        let mut at = pixels.start;
        while at < pixels.end {
            let runs = (width - x).min(pixels.end - at);
            let part = Part { y, first: x * self.pixel + columns.start, runs, len };
            // SAFETY: as this function requires.
            unsafe { self.copy_part(results, &part, copy) };
            at += runs;
            (y, x) = (y + 1, 0);
        }
    }

    /// How far the results of a row are behind their places in an image without borders. The row has this pixel.
    pub(crate) fn shift(&self, pixel: usize) -> usize {
        let Border { before, after, .. } = self.border;
        pixel * self.pixel / self.row * (before + after) + before
    }

    /// Fills the borders next to `columns` of `pixels`, which are in one row.
    ///
    /// # Safety
    /// No other thread may write these results or the borders next to them.
    pub(crate) unsafe fn fill(&self, pixels: Range<usize>, columns: &Range<usize>, copy: Disjoint<'_, u8>) {
        let (y, first) = (pixels.start * self.pixel / self.row, pixels.start * self.pixel % self.row);
        let (first, len) = (first + columns.start, columns.len());
        // SAFETY: as this function requires.
        unsafe { self.fill_borders(&Part { y, first, runs: pixels.len(), len }, copy) };
    }

    /// Copies a part of a row, and the border next to the row's first and last byte.
    ///
    /// # Safety
    /// See [`copy`](Self::copy).
    unsafe fn copy_part(&self, results: Disjoint<'_, u8>, part: &Part, copy: Disjoint<'_, u8>) {
        let &Part { y, first, runs, len } = part;
        let Border { before, after, .. } = self.border;
        let start = y * (before + self.row + after);
        let sizes = [runs, self.pixel, len];
        let from = results.tile(y * self.row + first, sizes);
        let to = copy.tile(start + before + first, sizes);
        for run in 0..runs {
            // SAFETY: both tiles were looked up; the tensors are different ones. This thread has written the results,
            // and only it writes their copies.
            unsafe { from.add(run * self.pixel).copy_to_nonoverlapping(to.add(run * self.pixel), len) };
        }
        // SAFETY: as this function requires.
        unsafe { self.fill_borders(part, copy) };
    }

    /// Fills the border next to the first and the last byte of a row, if the part has them.
    ///
    /// # Safety
    /// See [`fill`](Self::fill).
    unsafe fn fill_borders(&self, part: &Part, copy: Disjoint<'_, u8>) {
        let &Part { y, first, runs, len } = part;
        let Border { before, after, fill } = self.border;
        let start = y * (before + self.row + after);
        // SAFETY: one part has the row's first byte, and one has its last.
        unsafe {
            if first == 0 {
                copy.part(start, before).fill(fill);
            }
            if first + (runs - 1) * self.pixel + len == self.row {
                copy.part(start + before + self.row, after).fill(fill);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::Target;

    proptest! {
        #[test]
        fn copies_have_borders(
            (rows, width, pixel) in (1usize..5, 1usize..6, 1usize..5),
            (before, after) in (0usize..4, 0usize..4),
            (cut, columns) in (0usize..30, 0usize..5),
        ) {
            let border = Border { before, after, fill: 77 };
            let bordered = Bordered { id: 0, pixel, row: width * pixel, border };
            let mut results: Vec<u8> = (0..rows * width * pixel).map(|i| i as u8).collect();
            let line = |row: &[u8]| [&vec![77; before], row, &vec![77; after]].concat();
            let expected: Vec<u8> = results.chunks(width * pixel).flat_map(line).collect();
            let mut found = [vec![0; expected.len()], vec![0; expected.len()]];
            let [by_bytes, by_columns] = found.each_mut().map(|copy| Target::of(&mut copy[..]).share());
            let (len, columns) = (results.len(), columns.min(pixel));
            let results = Target::of(&mut results[..]).share();
            // SAFETY: there is one thread.
            unsafe {
                bordered.copy(results, 0..cut.min(len), by_bytes);
                bordered.copy(results, cut.min(len)..len, by_bytes);
                for columns in [0..columns, columns..pixel].into_iter().filter(|columns| !columns.is_empty()) {
                    bordered.copy_columns(results, (0..rows * width, &columns), by_columns);
                }
            }
            prop_assert_eq!(&found[0], &expected);
            prop_assert_eq!(&found[1], &expected);
        }
    }
}
