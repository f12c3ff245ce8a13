//! Pointers to the pixels under a window, one per position and tap.
//!
//! ```text
//! positions of one row of the output:   │ outside │ base, base + step, base + 2 step, … │ outside │      for each tap
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Window;

use std::mem::MaybeUninit;
use std::ops::Range;

use bytemuck::Pod;

use crate::memory::Source;

/// Most taps of a filter, each with a pointer: of a row of taps that are side by side, only the first needs one.
pub(crate) const MAX_TAPS: usize = 256;
/// Taps of most filters.
const FEW_TAPS: usize = 9;

/// Room for the pointers of a tile.
pub(crate) type Room<T> = [MaybeUninit<*const T>];

/// Pointers of a window.
pub(crate) struct Pointers {
    pub(super) window: Window,
    /// Whether it is one pixel, the one at its position.
    pub is_point: bool,
    /// For each tap of a row, the positions where it is inside.
    spans: Vec<Range<usize>>,
    /// The positions where all taps of a row are inside.
    pub(super) inside: Range<usize>,
}

impl Pointers {
    /// Of this window. `merges` says whether tiles inside of the image have a pointer per row of taps.
    ///
    /// # Errors
    /// If a tile may have more pointers than there is room for.
    pub(crate) fn new(window: Window, merges: bool) -> Result<Pointers> {
        let columns = &window.columns;
        let spans = (0..columns.taps).map(|tap| columns.positions_inside(tap)).collect();
        let pointers = Pointers { spans, inside: columns.all_inside(), is_point: window.is_point(), window };
        match merges && pointers.are_all_inside() {
            true => ensure!(window.rows.taps <= MAX_TAPS, "the window has {} rows of taps", window.rows.taps),
            false => window.expect_taps(MAX_TAPS)?,
        }
        Ok(pointers)
    }

    /// Calls `work` with room for the pointers of a tile.
    pub(crate) fn with_room<T>(&self, work: &mut dyn FnMut(&mut Room<T>)) {
        // A function of its own: touching all these pages of the stack takes as long as a small product.
        #[inline(never)]
        fn many<T>(work: &mut dyn FnMut(&mut Room<T>)) {
            work(&mut [const { MaybeUninit::uninit() }; MAX_POSITIONS * MAX_TAPS]);
        }
        match self.window.rows.taps * self.window.columns.taps <= FEW_TAPS {
            true => work(&mut [const { MaybeUninit::uninit() }; MAX_POSITIONS * FEW_TAPS]),
            false => many(work),
        }
    }

    /// These positions, at most [`MAX_POSITIONS`], by rows of the output.
    pub(crate) fn runs(&self, positions: Range<usize>) -> Runs<'_> {
        let Range { start: first, end } = positions;
        let Window { rows, columns, .. } = &self.window;
        let (y, x) = (first / columns.output, first % columns.output);
        let (image, row) = match y < rows.output {
            true => (0, y),
            false => (y / rows.output * rows.input, y % rows.output),
        };
        Runs { window: &self.window, next: Run { image, row, x, len: 0 }, rest: end - first }
    }

    /// Whether the columns of all taps are inside the image at all positions.
    pub(crate) fn are_all_inside(&self) -> bool {
        self.inside == (0..self.window.columns.output)
    }

    /// Whether the columns of all taps are inside the image.
    pub(crate) fn are_inside(&self, runs: &Runs<'_>) -> bool {
        runs.clone().all(|run| self.inside.start <= run.x && run.x + run.len <= self.inside.end)
    }

    /// The pixels of `runs` as a strip, if all are in one row of the output and all rows of the window are inside the
    /// image.
    ///
    /// The columns of all taps must be inside.
    pub(crate) fn strip<T: Pod>(&self, mut runs: Runs<'_>, seen: PixelSource<'_, T>) -> Option<Strip<T>> {
        let Window { rows, columns, channels, .. } = &self.window;
        let run = runs.next().filter(|_| runs.rest == 0)?;
        let row = (run.row * rows.stride).checked_sub(rows.before)?;
        let below = (rows.taps - 1) * rows.dilation;
        if row + below >= rows.input {
            return None;
        }
        let line = columns.input * channels;
        let first = (run.image + row) * line + (run.x * columns.stride - columns.before) * channels;
        let step = columns.stride * channels;
        let most = first + below * line + (run.len - 1) * step;
        Some(Strip {
            first: seen.all(first, most).wrapping_add(first),
            down: rows.dilation * line,
            step,
            most,
        })
    }

    /// The number of rows of taps to look up: one if all rows of the window are inside the image, since the pixels of
    /// the others are then at the same distance below.
    fn rows_to_look_up(&self, mut runs: Runs<'_>) -> usize {
        let rows = &self.window.rows;
        let below = (rows.taps - 1) * rows.dilation;
        let inside = |row: usize| row < rows.input && row + below < rows.input;
        let all_inside = runs.all(|run| inside((run.row * rows.stride).wrapping_sub(rows.before)));
        if all_inside { 1 } else { rows.taps }
    }

    /// Fills in `[taps][positions]` pointers to the first tap of each row of the window in `seen`, or to `outside` for
    /// rows outside of the image. Returns the offset of the last pixel.
    ///
    /// The columns of all taps must be inside.
    pub(crate) fn fill_rows<T: Pod>(
        &self,
        pointers: &mut [MaybeUninit<*const T>],
        runs: Runs<'_>,
        seen: PixelSource<'_, T>,
        outside: *const T,
    ) -> usize {
        let Window { rows, columns, channels, .. } = &self.window;
        let (step, mut most, mut at) = (columns.stride * channels, 0, 0);
        let (input, mut least) = (seen.first(), usize::MAX);
        let taps = self.rows_to_look_up(runs.clone());
        for tap in 0..taps {
            for run in runs.clone() {
                let row = (run.row * rows.stride + tap * rows.dilation).wrapping_sub(rows.before);
                let (first, step) = match row < rows.input {
                    true => {
                        let column = run.x * columns.stride - columns.before;
                        let pixel = ((run.image + row) * columns.input + column) * channels;
                        (least, most) = (least.min(pixel), most.max(pixel + (run.len - 1) * step));
                        (input.wrapping_add(pixel), step)
                    }
                    false => (outside, 0),
                };
                write(pointers, at, run.len, first, step);
                at += run.len;
            }
        }
        // SAFETY: the loop filled in the first row.
        let down = unsafe { self.fill_below(pointers, at, taps, |pointer, down| pointer.wrapping_add(down)) };
        if least <= most {
            most += down;
            seen.all(least, most);
        }
        most
    }

    /// As [`fill_rows`](Self::fill_rows), of all taps of each row of the window.
    pub(crate) fn fill_taps<T: Pod>(
        &self,
        pointers: &mut [MaybeUninit<*const T>],
        runs: Runs<'_>,
        seen: PixelSource<'_, T>,
        outside: *const T,
    ) -> usize {
        let Window { rows, columns, channels, .. } = &self.window;
        let (step, mut most, mut at) = (columns.stride * channels, 0, 0);
        let (taps, input, mut least) = (self.rows_to_look_up(runs.clone()), seen.first(), usize::MAX);
        for ty in 0..taps {
            for (tx, span) in self.spans.iter().enumerate() {
                for run in runs.clone() {
                    let (start, end) = (span.start.max(run.x), span.end.min(run.x + run.len));
                    match rows.at(run.row, ty).filter(|_| start < end) {
                        Some(row) => {
                            let column = start * columns.stride + tx * columns.dilation - columns.before;
                            let pixel = ((run.image + row) * columns.input + column) * channels;
                            (least, most) = (least.min(pixel), most.max(pixel + (end - start - 1) * step));
                            if end - start < run.len {
                                write(pointers, at, run.len, outside, 0);
                            }
                            let inside = &mut pointers[at + start - run.x..][..end - start];
                            write(inside, 0, end - start, input.wrapping_add(pixel), step);
                        }
                        None => write(pointers, at, run.len, outside, 0),
                    }
                    at += run.len;
                }
            }
        }
        let below = |p: *const T, down| if p == outside { p } else { p.wrapping_add(down) };
        // SAFETY: the loop filled in the first row.
        let down = unsafe { self.fill_below(pointers, at, taps, below) };
        if least <= most {
            most += down;
            seen.all(least, most);
        }
        most
    }

    /// Derives the rows of taps from `filled` on, of `count` pointers each: pointer `i` of a row is `below` pointer `i`
    /// of the row above, `down` elements further. Returns the distance from the last filled row to the last row. Does
    /// nothing if all rows are filled in.
    ///
    /// # Safety
    /// The first row must be filled in.
    #[inline(always)]
    unsafe fn fill_below<T>(
        &self,
        pointers: &mut [MaybeUninit<*const T>],
        count: usize,
        filled: usize,
        below: impl Fn(*const T, usize) -> *const T,
    ) -> usize {
        let Window { rows, columns, channels, .. } = &self.window;
        let down = rows.dilation * columns.input * channels;
        for first in (0..rows.taps - filled).map(|tap| tap * count) {
            let (above, row) = pointers[first..first + 2 * count].split_at_mut(count);
            for (pointer, above) in row.iter_mut().zip(above) {
                // SAFETY: the first row is filled in, as the caller guarantees, and each other one was written before.
                pointer.write(below(unsafe { above.assume_init() }, down));
            }
        }
        (rows.taps - filled) * down
    }
}

/// The elements that pointers may point to: at each pixel, the elements of a group of channels.
#[derive(Clone, Copy)]
pub(crate) struct PixelSource<'r, T> {
    /// The tensor.
    pub input: Source<'r, T>,
    /// Where the first pixel's elements begin.
    pub from: usize,
    /// Elements of a pixel, or of all pixels under a row of taps.
    pub len: usize,
}

impl<T: Pod> PixelSource<'_, T> {
    /// The address of the first pixel, which need not be in the input.
    fn first(&self) -> *const T {
        self.input.base().wrapping_add(self.from)
    }

    /// Like [`first`](Self::first); panics unless the pixels from `least` to `most` are in the input.
    #[inline(always)]
    fn all(&self, least: usize, most: usize) -> *const T {
        self.input.at(self.from + least, most - least + self.len);
        self.first()
    }
}

/// Most positions at a time.
pub(crate) const MAX_POSITIONS: usize = 32;

/// Pixels at equal distances.
pub(crate) struct Strip<T> {
    /// Under the first tap of the first position.
    pub first: *const T,
    /// Elements from one row of the window to the next.
    pub down: usize,
    /// Elements from one position to the next.
    pub step: usize,
    /// Offset of the last pixel.
    pub most: usize,
}

/// Positions, by rows of the output.
#[derive(Clone)]
pub(crate) struct Runs<'w> {
    window: &'w Window,
    next: Run,
    rest: usize,
}

impl Iterator for Runs<'_> {
    type Item = Run;

    #[inline(always)]
    fn next(&mut self) -> Option<Run> {
        if self.rest == 0 {
            return None;
        }
        let Window { rows, columns, .. } = self.window;
        let run = Run { len: self.rest.min(columns.output - self.next.x), ..self.next };
        self.rest -= run.len;
        (self.next.x, self.next.row) = (0, run.row + 1);
        if self.next.row == rows.output {
            (self.next.image, self.next.row) = (run.image + rows.input, 0);
        }
        Some(run)
    }
}

/// Positions of one row of the output.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// Rows of the images before.
    pub(super) image: usize,
    pub(super) row: usize,
    pub(super) x: usize,
    pub(super) len: usize,
}

/// The number of pointers that are written at a time if there is room.
const SOME: usize = 16;

/// Writes the `len` pointers `first`, `first + step`, … from index `at` on. If there is room, it also writes pointers
/// after them.
#[inline(always)]
pub(crate) fn write<T>(
    to: &mut [MaybeUninit<*const T>],
    at: usize,
    len: usize,
    first: *const T,
    step: usize,
) {
    if len <= SOME
        && let Some(to) = to[at..].first_chunk_mut::<SOME>()
    {
        // Two pointers on their way: products of numbers and steps would not fit into registers.
        let (low, high) = to.split_at_mut(SOME / 2);
        let (mut a, mut b) = (first, first.wrapping_add(SOME / 2 * step));
        for (low, high) in low.iter_mut().zip(high) {
            low.write(a);
            high.write(b);
            (a, b) = (a.wrapping_add(step), b.wrapping_add(step));
        }
        return;
    }
    for (i, pointer) in to[at..][..len].iter_mut().enumerate() {
        pointer.write(first.wrapping_add(i * step));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use arenite_layers::Axis;

    /// Axes of windows, with padding and dilation.
    pub(in crate::reach) fn axis() -> impl Strategy<Value = Axis> {
        (1..9usize, 1..5usize, 1..7usize, 1..4usize, 1..3usize, 0..6usize).prop_map(
            |(input, taps, output, stride, dilation, before)| Axis {
                input,
                taps,
                output,
                stride,
                dilation,
                before,
            },
        )
    }

    proptest! {
        #[test]
        fn each_pointer_is_that_of_its_tap(rows in axis(), columns in axis(), from in 0..40usize, len in 1..=MAX_POSITIONS) {
            let window = Window { batches: 2, rows, columns, channels: 3 };
            let positions = window.positions();
            let (first, end) = (from.min(positions - 1), (from + len).min(positions).max(from.min(positions - 1) + 1));
            let (input, outside) = (vec![0u8; 2 * window.image()], [0u8]);
            let seen = PixelSource { input: Source::of(&input), from: 0, len: 3 };
            for per_row in [1, columns.taps] {
                let count = end - first;
                let mut pointers = vec![MaybeUninit::uninit(); rows.taps * per_row * count];
                let all = Pointers::new(window, false).expect("it has few taps");
                let runs = all.runs(first..end);
                let most = match per_row == columns.taps {
                    true => all.fill_taps(&mut pointers, runs.clone(), seen, outside.as_ptr()),
                    false if !all.are_inside(&runs) => continue,
                    false => all.fill_rows(&mut pointers, runs.clone(), seen, outside.as_ptr()),
                };
                let inside = |p: usize| (0..columns.taps).all(|tap| columns.at(p % columns.output, tap).is_some());
                assert_eq!(all.are_inside(&runs), (first..end).all(inside));
                let mut largest = 0;
                for (i, pointer) in pointers.iter().enumerate() {
                    let (tap, p) = (i / count, first + i % count);
                    let (y, x) = (p / columns.output, p % columns.output);
                    let pixel = rows.at(y % rows.output, tap / per_row).zip(columns.at(x, tap % per_row));
                    let at = pixel.map(|(row, column)| {
                        y / rows.output * window.image() + (row * columns.input + column) * 3
                    });
                    largest = largest.max(at.unwrap_or(0));
                    let want = at.map_or(outside.as_ptr(), |at| input[at..].as_ptr());
                    // SAFETY: all of them were written.
                    assert_eq!(unsafe { pointer.assume_init() }, want, "tap {tap} of position {p}");
                }
                assert_eq!(most, largest);
            }
        }
    }
}
