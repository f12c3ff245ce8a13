//! Windows that slide along the rows of an NHWC tensor, separately for each channel: the common part of depthwise
//! convolutions and pools.
//!
//! ```text
//! row of the output:  │ pointed │ even │ even │ … │ pointed │    even: the windows stay inside the row
//! ```
//! Rows of taps outside of the image are skipped; columns outside are pointers to a constant pixel. Kernels read whole
//! vectors of channels. Where that would pass the end of the tensor, an exact kernel computes the last channels of a
//! tile.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::Result;
use arenite_base::Aligned;
use arenite_layers::{Id, Window};

use super::epilogue::{self, Epilogue, EpilogueOp};
use crate::kernels::f32_map::Map;
use crate::kernels::pixels::Pixels;
use crate::memory::{Source, Target};
use crate::step::{Grain, Run};
use crate::steps::cascade::RowStep;

/// Most taps of a window.
pub(crate) const MAX_TAPS: usize = 256;
/// Most results of a tile.
const RESULTS: usize = 7;
/// The pointers of a tile: at most one per result and tap, since results share pixels.
pub(crate) type Pointers = [MaybeUninit<*const f32>; RESULTS * MAX_TAPS];

/// How a kernel finds its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// At even steps.
    Even,
    /// By pointers.
    Pointed,
}

/// A window over a tensor, and the tiles that it is cut into.
pub(crate) struct Slide {
    /// The window.
    pub window: Window,
    /// Tiles of a row.
    pub tiles: usize,
    /// Channels of a vector.
    lanes: usize,
    /// The pixel outside of the image.
    outside: Aligned<f32>,
}

/// A row of the output.
pub(crate) struct Line {
    /// The rows of taps that are inside the image.
    pub taps: Range<usize>,
    /// The row that the first of them reads, counted over all images.
    first: usize,
}

/// The channels of a tile: those for kernels that read whole vectors, and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChannelSplit {
    /// From the first on.
    pub whole: usize,
    /// Behind those.
    pub rest: usize,
}

/// A step that computes rows of its output tile by tile.
pub(crate) trait Slides: Send + Sync {
    /// The window and its tiles.
    fn slide(&self) -> &Slide;

    /// The epilogue.
    fn epilogue(&self) -> &[EpilogueOp];

    /// Kernels for it.
    fn map(&self) -> &Map;

    /// Computes `y`, the results of `columns` in a row. `input` has each channel as often as it has results.
    fn tile(&self, line: &Line, columns: &Range<usize>, input: Source<'_, f32>, y: &mut Target<'_, f32>);

    /// Computes `y`, row `line`, counted through all images.
    fn row(&self, line: usize, input: Source<'_, f32>, y: &mut Target<'_, f32>, epilogue: &Epilogue<'_>) {
        let (slide, channels) = (self.slide(), self.slide().window.channels);
        let from = slide.line(line);
        for t in 0..slide.tiles {
            let columns = slide.columns(t);
            let mut y = y.part(columns.start * channels, columns.len() * channels);
            self.tile(&from, &columns, input, &mut y);
        }
        epilogue.iter().for_each(|op| op.apply_over(self.map(), y, line * y.len()));
    }

    /// Computes `y`, the rows that start at `line`.
    fn some_rows(
        &self,
        line: usize,
        input: Source<'_, f32>,
        y: &mut Target<'_, f32>,
        epilogue: &Epilogue<'_>,
    ) {
        let w = &self.slide().window;
        let width = w.columns.output * w.channels;
        for i in 0..y.len() / width {
            self.row(line + i, input, &mut y.part(i * width, width), epilogue);
        }
    }

    /// Computes all rows.
    fn all_rows(&self, cx: &Run<'_>, input: Source<'_, f32>, output: Id) -> Result<()> {
        let epilogue = epilogue::bind(self.epilogue(), cx);
        let w = &self.slide().window;
        let cost = w.columns.output * w.channels * w.rows.taps * w.columns.taps;
        cx.parallel_parts(
            cx.output(output),
            w.columns.output * w.channels,
            Grain::of_cost(cost),
            |lines, mut y| {
                self.some_rows(lines.start, input, &mut y, &epilogue);
            },
        )
    }
}

impl<T: Slides> RowStep for T {
    fn window(&self) -> (&Window, usize) {
        let window = &self.slide().window;
        (window, window.channels * size_of::<f32>())
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        Slides::epilogue(self)
    }

    fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: Source<'_, u8>,
        output: Target<'_, u8>,
        epilogue: &Epilogue<'_>,
    ) {
        let line = image * self.slide().window.rows.output + rows.start;
        self.some_rows(line, input.cast(), &mut output.cast(), epilogue);
    }
}

impl Slide {
    /// Tiles of at most `results` (up to seven), for vectors of `lanes`; pixels outside of the image consist of
    /// `outside`.
    pub(crate) fn new(window: Window, lanes: usize, results: usize, outside: f32) -> Self {
        let mut pixel = Aligned::zeros(window.channels.next_multiple_of(lanes));
        pixel.fill(outside);
        let tiles = window.columns.output.div_ceil(results.min(RESULTS));
        Slide { window, tiles, lanes, outside: pixel }
    }

    /// Row `line` of the output, counted through all images.
    pub(crate) fn line(&self, line: usize) -> Line {
        let rows = &self.window.rows;
        let (image, y) = (line / rows.output, line % rows.output);
        let taps = rows.taps_inside(y);
        let first = image * rows.input + rows.at(y, taps.start).unwrap_or(0);
        Line { taps, first }
    }

    /// The results of tile `t`.
    pub(crate) fn columns(&self, t: usize) -> Range<usize> {
        let columns = self.window.columns.output;
        t * columns / self.tiles..(t + 1) * columns / self.tiles
    }

    /// How a tile's channels are split, so that nothing is read behind the tensor.
    pub(crate) fn split(&self, line: &Line, columns: &Range<usize>) -> ChannelSplit {
        let w = &self.window;
        let row = line.first + line.taps.len().saturating_sub(1) * w.rows.dilation;
        let column = (columns.end - 1) * w.columns.stride + (w.columns.taps - 1) * w.columns.dilation;
        let last = row * w.columns.input + column.saturating_sub(w.columns.before).min(w.columns.input - 1);
        let whole = match last * w.channels + self.outside.len() <= w.batches * w.image() {
            true => w.channels,
            false => w.channels / self.lanes * self.lanes,
        };
        ChannelSplit { whole, rest: w.channels - whole }
    }

    /// The pixels of a row of windows, from the first column of the image on.
    pub(crate) fn pixels(&self, line: &Line, input: Source<'_, f32>) -> Pixels {
        let w = &self.window;
        let in_row = w.columns.input * w.channels;
        let rows = line.taps.len().checked_sub(1).map_or(0, |below| below * w.rows.dilation + 1);
        Pixels {
            pointers: std::ptr::null(),
            base: if rows == 0 { input.base() } else { input.at(line.first * in_row, rows * in_row) },
            row: w.rows.dilation * in_row,
            column: w.channels,
            rows: line.taps.len(),
        }
    }

    /// Aims pixels at the windows of `columns`, for kernels that share pixels between results.
    pub(crate) fn aim(&self, pixels: &mut Pixels, columns: &Range<usize>, to: &mut Pointers) -> Way {
        let axis = &self.window.columns;
        let first = (columns.start * axis.stride) as isize - axis.before as isize;
        if axis.is_inside(columns.start, columns.end - 1) {
            pixels.base = pixels.base.wrapping_offset(first * self.window.channels as isize);
            return Way::Even;
        }
        let width = (columns.len() - 1) * axis.stride + axis.taps;
        for (row, pointers) in to.chunks_exact_mut(width).take(pixels.rows).enumerate() {
            let row = pixels.base.wrapping_add(row * pixels.row);
            for (i, pointer) in pointers.iter_mut().enumerate() {
                pointer.write(self.pixel(row, first + i as isize));
            }
        }
        pixels.pointers = to.as_ptr().cast();
        Way::Pointed
    }

    /// Points to the pixels under the windows of `columns`, for kernels that take each tap as a separate row.
    pub(crate) fn aim_taps(&self, pixels: &mut Pixels, columns: &Range<usize>, to: &mut Pointers) {
        let axis = &self.window.columns;
        for (i, pointers) in to.chunks_exact_mut(columns.len()).take(pixels.rows * axis.taps).enumerate() {
            let row = pixels.base.wrapping_add(i / axis.taps * pixels.row);
            let tap = (i % axis.taps * axis.dilation) as isize - axis.before as isize;
            for (pointer, column) in pointers.iter_mut().zip(columns.clone()) {
                pointer.write(self.pixel(row, (column * axis.stride) as isize + tap));
            }
        }
        pixels.pointers = to.as_ptr().cast();
        pixels.rows *= axis.taps;
    }

    fn pixel(&self, row: *const f32, column: isize) -> *const f32 {
        match usize::try_from(column) {
            Ok(column) if column < self.window.columns.input => {
                row.wrapping_add(column * self.window.channels)
            }
            _ => self.outside.as_ptr(),
        }
    }
}
