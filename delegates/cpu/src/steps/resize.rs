//! Images of another size: by the nearest pixel, or by the weighted mean of the four around.
//!
//! ```text
//! low ──── distance ────┐     rows: low and high, columns: low and high
//!  x            ·       x     value = Σ pixel × row weight × column weight
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::ops::resize::Between;

use crate::kernels::f32_map::Map;
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Multiply-adds that a pixel is worth besides those of its channels.
const PIXEL: usize = 16;

/// Sizes of both images: `[rows, columns]` of the input; those of the output are the lengths of tables.
#[derive(Clone, Copy, Debug)]
pub struct Images {
    /// How many.
    pub count: usize,
    /// Rows and columns of an input.
    pub input: [usize; 2],
    /// Channels of both, or bytes of a pixel where elements are moved only.
    pub channels: usize,
}

/// By the four pixels around, `f32`.
pub struct Bilinear {
    /// The kernels.
    pub map: &'static Map,
    /// Sizes.
    pub images: Images,
    /// For each row of the output.
    pub rows: Vec<Between>,
    /// For each column of the output.
    pub columns: Vec<Between>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

/// By the nearest pixel, of any type.
pub struct Nearest {
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
        let x = Shared::new(cx.place::<f32>(self.input));
        let y = Shared::new(cx.place::<f32>(self.output));
        let (rows, columns) = (self.rows.len(), self.columns.len());
        cx.parallel_for(count * rows, super::grain(columns * (PIXEL + 4 * channels)), |range| {
            for line in range {
                let row = self.rows[line % rows];
                let image = line / rows * height;
                for (j, column) in self.columns.iter().enumerate() {
                    let (v, u) = (row.distance, column.distance);
                    let weights = [(1.0 - v) * (1.0 - u), (1.0 - v) * u, v * (1.0 - u), v * u];
                    // SAFETY: pixels of the images; the row is this thread's.
                    unsafe {
                        let pixel = |row: usize, column: usize| {
                            x.get().add(((image + row) * width + column) * channels).cast_const()
                        };
                        let (low, high) = (column.low, column.high);
                        let around = [
                            pixel(row.low, low),
                            pixel(row.low, high),
                            pixel(row.high, low),
                            pixel(row.high, high),
                        ];
                        (self.map.blend)(
                            channels,
                            around,
                            weights,
                            y.get().add((line * columns + j) * channels),
                        );
                    }
                }
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
        let x = Shared::new(cx.place::<u8>(self.input));
        let y = Shared::new(cx.place::<u8>(self.output));
        let (rows, columns) = (self.rows.len(), self.columns.len());
        cx.parallel_for(count * rows, super::grain(columns * (PIXEL + bytes / 4)), |range| {
            for line in range {
                let row = line / rows * height + self.rows[line % rows];
                for (j, column) in self.columns.iter().enumerate() {
                    // SAFETY: pixels of the images; the row is this thread's.
                    unsafe {
                        let from = x.get().add((row * width + column) * bytes);
                        std::ptr::copy_nonoverlapping(from, y.get().add((line * columns + j) * bytes), bytes);
                    }
                }
            }
        })
    }
}
