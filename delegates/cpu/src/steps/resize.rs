//! Resizes images: takes the nearest pixel, or the weighted mean of the four pixels around.
//!
//! ```text
//! low ──── distance ────┐     rows: low and high, columns: low and high
//!  x            ·       x     value = Σ pixel × row weight × column weight
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::blend::{Columns, RowPair};
use crate::kernels::f32_blend::Blend;
use crate::step::{Grain, Run, Step, StepValues};

/// The cost of a pixel in multiply-adds, in addition to its channels.
pub(super) const PIXEL: usize = 16;

/// Sizes of both images: `[rows, columns]` of the input. The lengths of the tables are the sizes of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Images {
    /// How many.
    pub count: usize,
    /// Rows and columns of an input.
    pub input: [usize; 2],
    /// Channels per pixel, in the input and in the result; bytes per pixel if elements are only moved.
    pub channels: usize,
}

/// By the four pixels around, `f32`.
pub(crate) struct Bilinear {
    /// The kernels.
    pub blend: &'static Blend,
    /// Sizes.
    pub images: Images,
    /// The rows around each row of the output.
    pub rows: Vec<RowPair<f32>>,
    /// The columns of the output.
    pub columns: Columns<f32>,
    /// The input and the output.
    pub ends: StepValues,
}

/// By the nearest pixel, of any type.
pub(crate) struct Nearest {
    /// Sizes; channels are bytes.
    pub images: Images,
    /// For each row of the output.
    pub rows: Vec<usize>,
    /// For each column of the output.
    pub columns: Vec<usize>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for Bilinear {
    fn name(&self) -> &'static str {
        "RESIZE_BILINEAR"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Images { count, input: [height, width], channels } = self.images;
        let x = cx.input::<f32>(self.ends.input);
        let (rows, line) = (self.rows.len(), self.columns.count() * channels);
        let grain = Grain::of_cost(self.columns.count() * (PIXEL + 4 * channels));
        let output = cx.output::<f32>(self.ends.output);
        ensure!(output.len() == count * rows * line, "the output has {} elements", output.len());
        cx.parallel_parts(output, line, grain, |lines, mut y| {
            for (i, number) in lines.enumerate() {
                let between = self.rows[number % rows].of_image(number / rows * height * width * channels);
                self.blend.blended(x, between, &self.columns, channels, &mut y.part(i * line, line));
            }
        })
    }
}

impl Step for Nearest {
    fn name(&self) -> &'static str {
        "RESIZE_NEAREST_NEIGHBOR"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Images { count, input: [height, width], channels: bytes } = self.images;
        let x = cx.input::<u8>(self.input);
        let (rows, line) = (self.rows.len(), self.columns.len() * bytes);
        let grain = Grain::of_cost(self.columns.len() * (PIXEL + bytes / 4));
        let output = cx.output::<u8>(self.output);
        ensure!(output.len() == count * rows * line, "the output has {} bytes", output.len());
        cx.parallel_parts(output, line, grain, |lines, mut y| {
            let mut to = 0;
            for number in lines {
                let row = number / rows * height + self.rows[number % rows];
                for column in &self.columns {
                    y.part(to, bytes).copy_from(x.part((row * width + column) * bytes, bytes));
                    to += bytes;
                }
            }
        })
    }
}
