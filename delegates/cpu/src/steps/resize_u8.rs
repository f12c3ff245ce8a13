//! Resizes images of bytes by the weighted mean of the four pixels around.

use arenite_abi::prelude::*;

use super::resize::{Images, PIXEL};
use crate::kernels::blend::{Columns, RowPair};
use crate::kernels::u8_blend::Blend;
use crate::step::{Grain, Run, Step, StepValues};

/// The rows around each row of the output, and its columns.
pub(crate) enum Blending {
    /// With distances of `f32`.
    Real(Vec<RowPair<f32>>, Columns<f32>),
    /// With distances in fixed point.
    Fixed(Vec<RowPair<i32>>, Columns<i32>),
}

/// By the four pixels around.
pub(crate) struct BilinearU8 {
    /// The kernels.
    pub blend: &'static Blend,
    /// Sizes.
    pub images: Images,
    /// How pixels are blended.
    pub blending: Blending,
    /// The input and the output.
    pub ends: StepValues,
}

impl Step for BilinearU8 {
    fn name(&self) -> &'static str {
        "RESIZE_BILINEAR"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Images { count, input: [height, width], channels } = self.images;
        let (rows, columns) = match &self.blending {
            Blending::Real(rows, columns) => (rows.len(), columns.count()),
            Blending::Fixed(rows, columns) => (rows.len(), columns.count()),
        };
        let (x, image, line) = (cx.input(self.ends.input), height * width * channels, columns * channels);
        let output = cx.output::<u8>(self.ends.output);
        ensure!(output.len() == count * rows * line, "the output has {} bytes", output.len());
        let grain = Grain::of_cost(columns * (PIXEL + channels));
        cx.parallel_parts(output, line, grain, |lines, mut y| {
            for (i, number) in lines.enumerate() {
                let (start, mut y) = (number / rows * image, y.part(i * line, line));
                match &self.blending {
                    Blending::Real(rows, columns) => {
                        let between = rows[number % rows.len()].of_image(start);
                        self.blend.real_row(x, between, columns, channels, &mut y);
                    }
                    Blending::Fixed(rows, columns) => {
                        let between = rows[number % rows.len()].of_image(start);
                        self.blend.fixed_row(x, between, columns, channels, &mut y);
                    }
                }
            }
        })
    }
}
