//! Depthwise convolution of `f32` with byte weights: quantizes images, multiplies bytes, and converts the sums to
//! `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::conv_hybrid::Finish;
use crate::kernels::u8i8_dwconv::Results;
use crate::memory::{Disjoint, LINE};
use crate::reach::epilogue::{self, Epilogue, OutputRows};
use crate::reach::planes_u8::{Job, OUTSIDE, Planes};
use crate::reach::rows_u8::RowQuantizer;
use crate::rescale::{QuantizedRow, RealChannel, RealChannels};
use crate::step::{Run, Step};

/// A convolution with packed weights.
pub(crate) struct DwConvHybrid {
    planes: Planes,
    rows: RowQuantizer,
    table: RealChannels,
    results: Finish,
    input: Id,
    output: Id,
}

impl DwConvHybrid {
    /// `channels` has a channel per channel of the output. `outside` of `rows` is ignored.
    pub(crate) fn new(
        planes: Planes,
        rows: RowQuantizer,
        channels: &[RealChannel],
        results: Finish,
        [input, output]: [Id; 2],
    ) -> Self {
        let order = planes.order(RealChannel::NONE, |channel| channels[channel]);
        let table = RealChannels::new(planes.lanes(), &order);
        DwConvHybrid {
            planes,
            rows: RowQuantizer { outside: OUTSIDE, ..rows },
            table,
            results,
            input,
            output,
        }
    }

    /// Applies the epilogue to a row of results.
    ///
    /// # Safety
    /// No other thread may access the block's part of the row in `output`, the tensor.
    unsafe fn finish(&self, epilogue: &Epilogue<'_>, block: usize, row: usize, output: Disjoint<'_, f32>) {
        let (first, channels) = self.planes.channels(block);
        let w = &self.planes.window;
        let (width, start) = (w.columns.output, row * w.columns.output * w.channels + first);
        let (runs, run) = if channels == w.channels { (1, width * channels) } else { (width, channels) };
        let rows = OutputRows { first: start, stride: w.channels, count: runs, len: run };
        // SAFETY: the block's channels of all positions of the row, which are the caller's.
        unsafe { epilogue.apply(self.results.map, output, rows) };
    }
}

impl Step for DwConvHybrid {
    fn name(&self) -> &'static str {
        "DEPTHWISE_CONV_2D"
    }

    fn scratch(&self) -> usize {
        self.rows.scratch().next_multiple_of(LINE) + self.planes.repeated()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let output = cx.output::<f32>(self.output).share();
        let epilogue = epilogue::bind(&self.results.epilogue, cx);
        let (rows, repeated) = cx.scratch().take(self.rows.scratch());
        let quantized = self.rows.quantize(cx, cx.input(self.input), rows)?;
        let input = self.planes.repeat(cx, quantized.bytes, repeated)?;
        self.planes.for_each(cx, |block, row, room| {
            let image = row / self.planes.window.rows.output;
            let row_of_bytes = quantized.rows.get(image);
            let zero_point = row_of_bytes.zero_point - i32::from(self.planes.offset());
            let results = Results::Reals {
                table: self.table.block(0),
                image: QuantizedRow { zero_point, ..row_of_bytes },
                limits: self.results.clamp,
            };
            let (outside, size) = (quantized.outside(image), size_of::<f32>());
            let job = Job { block, row, input, outside, results, output: output.cast(), size };
            // SAFETY: each block of each row is one thread's; `new` made channels for all blocks.
            unsafe {
                self.planes.row(&job, room);
                self.finish(&epilogue, block, row, output);
            }
        })
    }
}
