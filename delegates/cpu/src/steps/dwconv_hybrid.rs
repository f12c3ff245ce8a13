//! Convolution of `f32` where each channel has its own weights, of bytes: images are quantized first, sums of products of bytes become
//! `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::conv_hybrid::Finish;
use super::planes_u8::{Job, OUTSIDE, Planes};
use super::post::{self, Bounds};
use super::rows_u8::Rows;
use crate::kernels::u8i8_dwconv::Results;
use crate::memory::Shared;
use crate::program::{Run, Step};
use crate::rescale::{QuantizedRow, RealChannel, RealChannels};

/// A convolution with packed weights.
pub struct DwConvHybrid {
    planes: Planes,
    rows: Rows,
    table: RealChannels,
    results: Finish,
    input: Id,
    output: Id,
}

impl DwConvHybrid {
    /// `channels` are those of the output. Of `rows`, `outside` is ignored.
    pub fn new(
        planes: Planes,
        rows: Rows,
        channels: &[RealChannel],
        results: Finish,
        [input, output]: [Id; 2],
    ) -> Self {
        let order = planes.order(RealChannel::NONE, |channel| channels[channel]);
        let table = RealChannels::new(planes.lanes(), &order);
        DwConvHybrid { planes, rows: Rows { outside: OUTSIDE, ..rows }, table, results, input, output }
    }

    /// Applies what follows to a row of results.
    ///
    /// # Safety
    /// `output` is the tensor; the block's part of the row was written by this thread.
    unsafe fn finish(&self, posts: &Bounds, block: usize, row: usize, output: *mut f32) {
        let (first, channels) = self.planes.channels(block);
        let w = &self.planes.window;
        let (width, start) = (w.columns.output, row * w.columns.output * w.channels + first);
        let (runs, run) = if channels == w.channels { (1, width * channels) } else { (width, channels) };
        // SAFETY: the block's channels of all positions of the row, which this thread has written.
        unsafe { posts.apply(self.results.map, output, (start, w.channels), (runs, run)) };
    }
}

impl Step for DwConvHybrid {
    fn name(&self) -> &'static str {
        "DEPTHWISE_CONV_2D"
    }

    fn scratch(&self) -> usize {
        self.rows.scratch().next_multiple_of(64) + self.planes.repeated()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (input, scratch) = (Shared::new(cx.place(self.input)), Shared::new(cx.scratch::<u8>()));
        let repeated = scratch.get().wrapping_add(self.rows.scratch().next_multiple_of(64));
        let output = Shared::new(cx.place::<f32>(self.output));
        let posts = post::bind(&self.results.posts, cx);
        // SAFETY: the host's tensor has the shape that the step was built for, and its scratch memory the size.
        let (quantized, bytes) = unsafe {
            let quantized = self.rows.quantize(cx, input, scratch)?;
            (quantized, self.planes.repeat(cx, quantized.bytes, Shared::new(repeated))?)
        };
        self.planes.for_each(cx, |block, row| {
            let image = row / self.planes.window.rows.output;
            // SAFETY: as above, there is one per image; each block of each row has results of its own.
            unsafe {
                let row_of_bytes = *quantized.rows.get().add(image);
                let zero_point = row_of_bytes.zero_point - i32::from(self.planes.offset());
                let results = Results::Reals {
                    table: self.table.block(0),
                    image: QuantizedRow { zero_point, ..row_of_bytes },
                    limits: self.results.clamp,
                };
                self.planes.row(&Job {
                    block,
                    row,
                    input: bytes.get(),
                    outside: quantized.outside(image),
                    results,
                    output: output.get().cast(),
                    size: size_of::<f32>(),
                });
                self.finish(&posts, block, row, output.get());
            }
        })
    }
}
