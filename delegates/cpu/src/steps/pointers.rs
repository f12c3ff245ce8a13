//! Where the pixels under a window are: one pointer per position and tap.
//!
//! ```text
//! positions of one row of the output:   │ outside │ base, base + step, base + 2 step, … │ outside │      for each tap
//! ```

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::window::Window;

/// Pointers of a window.
pub struct Pointers {
    window: Window,
    /// For each tap of a row, the positions where it is inside.
    spans: Vec<Range<usize>>,
}

impl Pointers {
    /// Of this window.
    pub fn new(window: Window) -> Pointers {
        let columns = &window.columns;
        Pointers { window, spans: (0..columns.taps).map(|tap| columns.positions_inside(tap)).collect() }
    }

    /// Fills in those of positions `first..end`, as `[taps][positions]`: `per_row` taps of each row of the window, relative to `input`, the
    /// tensor; what lies outside points to `outside`. Gives the offset of the last pixel.
    pub fn fill<T>(
        &self,
        pointers: &mut [MaybeUninit<*const T>],
        (first, end): (usize, usize),
        per_row: usize,
        input: *const T,
        outside: *const T,
    ) -> usize {
        let Window { rows, columns, channels, .. } = &self.window;
        let count = end - first;
        let mut runs = [Run::default(); MAX_POSITIONS];
        let runs = self.runs((first, end), &mut runs);
        let (step, mut most, mut at) = (columns.stride * channels, 0, 0);
        let inside = |run: &Run| self.spans[0].start <= run.x && run.x + run.len <= self.spans[0].end;
        if per_row == 1 && runs.iter().all(inside) {
            for ty in 0..rows.taps {
                for run in runs {
                    let (first, step) = match rows.at(run.row, ty) {
                        Some(row) => {
                            let column = run.x * columns.stride - columns.before;
                            let pixel = ((run.image + row) * columns.input + column) * channels;
                            most = most.max(pixel + (run.len - 1) * step);
                            (input.wrapping_add(pixel), step)
                        }
                        None => (outside, 0),
                    };
                    write(pointers, at, run.len, first, step);
                    at += run.len;
                }
            }
            return most;
        }
        for ty in 0..rows.taps {
            for (tx, span) in self.spans[..per_row].iter().enumerate() {
                for run in runs {
                    let (x, end) = (run.x, run.x + run.len);
                    let (start, end) = (span.start.max(x), span.end.min(end));
                    match rows.at(run.row, ty).filter(|_| start < end) {
                        Some(row) => {
                            let column = start * columns.stride + tx * columns.dilation - columns.before;
                            let pixel = ((run.image + row) * columns.input + column) * channels;
                            most = most.max(pixel + (end - start - 1) * step);
                            if end - start < run.len {
                                write(pointers, at, run.len, outside, 0);
                            }
                            let inside = &mut pointers[at + start - x..][..end - start];
                            write(inside, 0, end - start, input.wrapping_add(pixel), step);
                        }
                        None => write(pointers, at, run.len, outside, 0),
                    }
                    at += run.len;
                }
            }
        }
        debug_assert_eq!(at, rows.taps * per_row * count);
        most
    }

    /// Positions `first..end` by rows of the output.
    fn runs<'r>(&self, (first, end): (usize, usize), runs: &'r mut [Run; MAX_POSITIONS]) -> &'r [Run] {
        let Window { rows, columns, .. } = &self.window;
        let (mut y, mut x) = (first / columns.output, first % columns.output);
        let (mut rest, mut count) = (end - first, 0);
        while rest > 0 {
            let len = rest.min(columns.output - x);
            let (image, row) = (y / rows.output, y % rows.output);
            runs[count] = Run { image: image * rows.input, row, x, len };
            (rest, x, y, count) = (rest - len, 0, y + 1, count + 1);
        }
        &runs[..count]
    }
}

/// Most positions at a time.
pub const MAX_POSITIONS: usize = 32;

/// Positions of one row of the output.
#[derive(Clone, Copy, Default)]
struct Run {
    /// Rows of the images before.
    image: usize,
    row: usize,
    x: usize,
    len: usize,
}

/// Writes `first`, `first + step`, …, `len` of them from `at` on, and others behind them where there is room.
#[inline(always)]
fn write<T>(to: &mut [MaybeUninit<*const T>], at: usize, len: usize, first: *const T, step: usize) {
    const SOME: usize = 16;
    if len <= SOME
        && let Some(to) = to[at..].first_chunk_mut::<SOME>()
    {
        for (i, pointer) in to.iter_mut().enumerate() {
            pointer.write(first.wrapping_add(i * step));
        }
        return;
    }
    for (i, pointer) in to[at..][..len].iter_mut().enumerate() {
        pointer.write(first.wrapping_add(i * step));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::window::Axis;

    fn axis() -> impl Strategy<Value = Axis> {
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
            for per_row in [1, columns.taps] {
                let count = end - first;
                let mut pointers = vec![MaybeUninit::uninit(); rows.taps * per_row * count];
                let most = Pointers::new(window).fill(&mut pointers, (first, end), per_row, input.as_ptr(), outside.as_ptr());
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
