//! Pools of bytes, a row of results at a time.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::{Id, Window};

use super::cascade::RowStep;
use crate::kernels::u8_pool::{self, Mean, Pools};
use crate::memory::{Source, Target};
use crate::reach::epilogue::Epilogue;
use crate::reach::pointers::MAX_TAPS;
use crate::requantize::{Bytes, Channels};
use crate::step::{Grain, Run, Step, StepValues};

/// How a window becomes one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// The largest.
    Largest,
    /// The mean of unsigned numbers, ties up.
    Mean,
    /// The mean of numbers that count from 128, ties away from that.
    SignedMean,
}

/// A pool.
pub(crate) struct PoolU8 {
    pools: &'static Pools,
    pooling: Pooling,
    window: Window,
    /// The positions of a row where all columns of the window are inside the image.
    inside: Range<usize>,
    /// The rows of an image where all rows of the window are.
    inside_rows: Range<usize>,
    bytes: Bytes,
    /// XORed with each byte that is read and with each result: 0x80 if they are signed, else 0. Only maxima use it.
    flips: [u8; 2],
    /// By number of pixels under the window; empty for the largest.
    divisions: Vec<Channels>,
    input: Id,
    output: Id,
}

/// The pixels under a window at consecutive positions.
struct Pixels {
    /// Of the first position.
    pixels: *const *const u8,
    count: usize,
    positions: usize,
    /// Bytes from one position to the next.
    step: usize,
}

impl PoolU8 {
    /// A pool whose results are clamped to `bytes`. Maxima XOR the bytes that they read, and their results, with
    /// `flips`: 0x80 if they are signed.
    pub(crate) fn new(
        pools: &'static Pools,
        pooling: Pooling,
        window: Window,
        (bytes, flips): (Bytes, [u8; 2]),
        StepValues { input, output }: StepValues,
    ) -> Self {
        let most = if pooling == Pooling::Largest { 0 } else { window.rows.taps * window.columns.taps };
        let alike = |count| Channels::new(pools.lanes, &vec![u8_pool::division(count); pools.lanes], bytes);
        let divisions = (1..=most).map(alike).collect();
        let (inside, inside_rows) = (window.columns.all_inside(), window.rows.all_inside());
        PoolU8 { pools, pooling, window, inside, inside_rows, bytes, flips, divisions, input, output }
    }

    /// The number of rows from row `y` of all images on that are computed at once: of results that are one above the
    /// other and whose windows have all their rows inside the image, as many as there are.
    fn rows_alike(&self, y: usize) -> usize {
        let Window { rows, columns, .. } = &self.window;
        let row = y % rows.output;
        match columns.output == 1 && self.inside_rows.contains(&row) {
            true => self.inside_rows.end - row,
            false => 1,
        }
    }

    /// Computes `to`, `count` rows of [`rows_alike`](Self::rows_alike) from row `y` of all images on.
    fn rows_of(&self, y: usize, count: usize, input: Source<'_, u8>, to: &mut Target<'_, u8>) {
        let w = &self.window;
        let (image, row) = (y / w.rows.output, y % w.rows.output);
        let line = w.columns.input * w.channels;
        let rows = w.rows.taps_inside(row);
        let mut pixels = [const { MaybeUninit::<*const u8>::uninit() }; MAX_TAPS];
        // One result per row: positions are below one another.
        let (width, step) = match w.columns.output {
            1 => (count, w.rows.stride * line),
            width => (width, w.columns.stride * w.channels),
        };
        let mut x = 0;
        while x < width {
            let columns = w.columns.taps_inside(x);
            // Where the whole window is inside, pixels just move on.
            let end = match self.inside.contains(&x) {
                _ if w.columns.output == 1 => count,
                true => self.inside.end,
                false => x + 1,
            };
            let mut count = 0;
            for tap in rows.clone() {
                let Some(from) = w.rows.at(row, tap) else { continue };
                for column in columns.clone().filter_map(|tap| w.columns.at(x, tap)) {
                    let at = image * w.image() + from * line + column * w.channels;
                    pixels[count].write(input.at(at, (end - 1 - x) * step + w.channels));
                    count += 1;
                }
            }
            let (pixels, positions) = (pixels.as_ptr().cast(), end - x);
            let results = to.at(x * w.channels, positions * w.channels);
            // SAFETY: `count` pixels, at least one, were looked up for all positions, which have results.
            unsafe { self.pool(Pixels { pixels, count, positions, step }, results) };
            x = end;
        }
    }

    /// Computes results of consecutive positions.
    ///
    /// # Safety
    /// All pixels must be readable at all positions, and the results writable.
    #[inline(always)]
    unsafe fn pool(&self, Pixels { pixels, count, positions, step }: Pixels, results: *mut u8) {
        let window = u8_pool::Window {
            pixels,
            count,
            positions,
            step,
            n: self.window.channels,
            low: self.bytes.low,
            high: self.bytes.high,
            mean: self.mean(count),
            flips: self.flips,
            c: results,
        };
        // SAFETY: selected for this machine; pixels and results are as the caller guarantees.
        unsafe {
            match self.pooling {
                Pooling::Largest => (self.pools.largest)(&window),
                _ => (self.pools.mean)(&window),
            }
        }
    }

    /// Computes `to`, the rows that start at row `y`.
    fn some_rows(&self, y: usize, input: Source<'_, u8>, to: &mut Target<'_, u8>) {
        let width = self.window.columns.output * self.window.channels;
        let (mut i, rows) = (0, to.len() / width);
        while i < rows {
            let count = self.rows_alike(y + i).min(rows - i);
            self.rows_of(y + i, count, input, &mut to.part(i * width, count * width));
            i += count;
        }
    }

    fn mean(&self, count: usize) -> Mean {
        let table =
            self.divisions.get(count.wrapping_sub(1)).map_or(std::ptr::null(), |table| table.block(0));
        let ties = self.pooling == Pooling::SignedMean && count.is_multiple_of(2);
        Mean { table, middle: if ties { 128 * count as i32 } else { 0 } }
    }
}

impl Step for PoolU8 {
    fn name(&self) -> &'static str {
        match self.pooling {
            Pooling::Largest => "MAX_POOL_2D",
            _ => "AVERAGE_POOL_2D",
        }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let w = &self.window;
        let input = cx.input::<u8>(self.input);
        let width = w.columns.output * w.channels;
        let grain = Grain::of_cost(width * w.rows.taps * w.columns.taps);
        cx.parallel_parts(cx.output::<u8>(self.output), width, grain, |rows, mut to| {
            self.some_rows(rows.start, input, &mut to);
        })
    }
}

impl RowStep for PoolU8 {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.window.channels)
    }

    fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: Source<'_, u8>,
        mut output: Target<'_, u8>,
        _: &Epilogue<'_>,
    ) {
        self.some_rows(image * self.window.rows.output + rows.start, input, &mut output);
    }
}
