//! Copies of the pixels under a window, side by side: where a row of taps has few values, a copy costs less than
//! pointers, which are written for each row of taps and position, and differ at the borders of the image.
//!
//! ```text
//! positions of a row of the output:   │ row of taps │ row of taps │ … │ room │  next position …
//! ```

use arenite_layers::Window;

use std::ops::Range;

use super::pointers::{Pointers, Run};
use crate::memory::{Source, Target};

/// Most values of a row of taps.
const MOST: usize = 16;
/// The number of values that are copied at a time, and may exceed a row of taps.
const CHUNK: usize = 4;
/// Values of the room for patches: half a first-level cache.
pub(crate) const ROOM: usize = 1 << 12;

/// Copies the patches of a window.
pub(crate) struct Patches {
    /// Values of a row of taps.
    row: usize,
    /// Values of a patch.
    pub len: usize,
    /// Values from one patch to the next.
    pub stride: usize,
}

impl Patches {
    /// Of a window whose rows of taps are short, if there is room for `positions` patches.
    pub(crate) fn new(window: &Window, positions: usize) -> Option<Patches> {
        let row = window.columns.taps * window.channels;
        let len = window.rows.taps * row;
        let stride = len + CHUNK - 1;
        let fits = row <= MOST && positions * stride <= ROOM;
        (fits && !window.is_point() && window.columns.dilation == 1).then_some(Patches { row, len, stride })
    }

    /// Copies the patches of `positions`, in order, to `to`.
    ///
    /// # Panics
    /// If there is no room for them in `to`.
    pub(crate) fn copy(
        &self,
        pointers: &Pointers,
        positions: Range<usize>,
        input: Source<'_, f32>,
        to: &mut Target<'_, f32>,
    ) {
        let mut first = 0;
        for run in pointers.runs(positions) {
            let len = run.len * self.stride;
            self.copy_run(pointers, &run, input, &mut to.part(first, len));
            first += len;
        }
    }

    /// Copies the patches of positions in one row of the output.
    fn copy_run(&self, pointers: &Pointers, run: &Run, input: Source<'_, f32>, to: &mut Target<'_, f32>) {
        let Window { rows, columns, channels, .. } = &pointers.window;
        let inside = &pointers.inside;
        let start = inside.start.clamp(run.x, run.x + run.len) - run.x;
        let end = (inside.end.clamp(run.x, run.x + run.len) - run.x).max(start);
        for tap in 0..rows.taps {
            let Some(row) = rows.at(run.row, tap) else {
                (0..run.len).for_each(|i| to.part(i * self.stride + tap * self.row, self.row).fill(0.0));
                continue;
            };
            let first = (run.image + row) * columns.input * channels;
            let line = first..first + columns.input * channels;
            for i in (0..start).chain(end..run.len) {
                let mut to = to.part(i * self.stride + tap * self.row, self.row);
                for tap in 0..columns.taps {
                    let mut to = to.part(tap * channels, *channels);
                    match columns.at(run.x + i, tap) {
                        Some(column) => to.copy_from(input.part(first + column * channels, *channels)),
                        None => to.fill(0.0),
                    }
                }
            }
            if start < end {
                let from = first + ((run.x + start) * columns.stride - columns.before) * channels;
                let at = start * self.stride + tap * self.row;
                let mut to = to.part(at, (end - start - 1) * self.stride + self.chunks() * CHUNK);
                self.copy_inside(input, from..line.end, [end - start, columns.stride * channels], &mut to);
            }
        }
    }

    /// How many chunks a row of taps has.
    fn chunks(&self) -> usize {
        self.row.div_ceil(CHUNK)
    }

    /// Copies `count` rows of taps that are inside of a line of the image, `step` values each after the last, from its
    /// element `line.start` on.
    fn copy_inside(
        &self,
        input: Source<'_, f32>,
        line: Range<usize>,
        [count, step]: [usize; 2],
        to: &mut Target<'_, f32>,
    ) {
        let (first, all) = (line.start, self.chunks() * CHUNK);
        // The last chunks of the last rows would exceed the line.
        let whole = match (line.end - first).checked_sub(all) {
            Some(left) => (left / step + 1).min(count),
            None => 0,
        };
        for i in whole..count {
            to.part(i * self.stride, self.row).copy_from(input.part(first + i * step, self.row));
        }
        if whole == 0 {
            return;
        }
        let from = input.at(first, (whole - 1) * step + all);
        let to = to.at(0, (whole - 1) * self.stride + all);
        let strides = [step, self.stride];
        // SAFETY: `at` looked up as many chunks of each row in the input and in the target, which is the caller's
        // alone.
        unsafe {
            match self.chunks() {
                1 => chunks::<1>(from, to, whole, strides),
                2 => chunks::<2>(from, to, whole, strides),
                3 => chunks::<3>(from, to, whole, strides),
                _ => chunks::<4>(from, to, whole, strides),
            }
        }
    }
}

const _: () = assert!(MOST == 4 * CHUNK);

/// Copies `N` chunks of each of `count` rows.
///
/// # Safety
/// `from` must be readable, and `to` writable, for `N` chunks of each row, which are `strides` values apart. They must
/// not overlap.
#[inline(always)]
unsafe fn chunks<const N: usize>(from: *const f32, to: *mut f32, count: usize, [step, stride]: [usize; 2]) {
    for i in 0..count {
        let (from, to) = (from.wrapping_add(i * step), to.wrapping_add(i * stride));
        for n in 0..N {
            // SAFETY: as `# Safety` requires.
            unsafe {
                let chunk = from.add(n * CHUNK).cast::<[f32; CHUNK]>().read_unaligned();
                to.add(n * CHUNK).cast::<[f32; CHUNK]>().write_unaligned(chunk);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use arenite_layers::Axis;
    use proptest::prelude::*;

    use super::*;
    use crate::reach::pointers::tests::axis;

    /// Compares the patches of `positions` with the pixels.
    fn check(window: Window, positions: Range<usize>) {
        let Window { rows, columns, channels, .. } = window;
        let (Some(patches), Ok(pointers)) =
            (Patches::new(&window, positions.len()), Pointers::new(window, true))
        else {
            return;
        };
        let input: Vec<f32> = (0..window.batches * window.image()).map(|i| i as f32 + 1.0).collect();
        let mut room = vec![f32::NAN; positions.len() * patches.stride];
        patches.copy(&pointers, positions.clone(), Source::of(&input), &mut Target::of(&mut room));
        for (patch, p) in room.chunks(patches.stride).zip(positions) {
            let (y, x) = (p / columns.output, p % columns.output);
            for (i, value) in patch[..patches.len].iter().enumerate() {
                let (tap, channel) = (i / channels, i % channels);
                let pixel =
                    rows.at(y % rows.output, tap / columns.taps).zip(columns.at(x, tap % columns.taps));
                let want = pixel.map_or(0.0, |(row, column)| {
                    let pixel = row * columns.input + column;
                    input[y / rows.output * window.image() + pixel * channels + channel]
                });
                assert_eq!(*value, want, "value {i} of position {p}");
            }
        }
    }

    /// The last patches end where the input ends.
    #[test]
    fn patches_end_with_the_input() {
        for (taps, stride, channels) in [(2, 1, 1), (3, 1, 1), (3, 2, 1), (3, 1, 3), (5, 1, 3), (7, 1, 2)] {
            let axis =
                Axis { input: 9, taps, output: (9 - taps) / stride + 1, stride, dilation: 1, before: 0 };
            let window = Window { batches: 2, rows: axis, columns: axis, channels };
            check(window, 0..window.positions());
        }
    }

    proptest! {
        #[test]
        fn patches_are_the_pixels_under_the_window(
            (rows, columns) in (axis(), axis()), channels in 1..4usize, from in 0..40usize, count in 1..20usize,
        ) {
            let window = Window { batches: 2, rows, columns, channels };
            let from = from.min(window.positions() - 1);
            check(window, from..(from + count).min(window.positions()));
        }
    }
}
