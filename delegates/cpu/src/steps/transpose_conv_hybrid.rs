//! Transposed convolution of `f32` with byte weights: quantizes images, multiplies bytes, and converts the sums to
//! `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::conv_hybrid::Finish;
use crate::kernels::u8i8_gemm::{Results, ToReals};
use crate::reach::epilogue::{self, OutputRows};
use crate::reach::phases_u8::{self, Phases, Row};
use crate::reach::rows_u8::RowQuantizer;
use crate::rescale::RealChannels;
use crate::step::{Run, Step};

/// A transposed convolution with packed weights.
pub(crate) struct TransposeConvHybrid {
    phases: Phases<RealChannels>,
    /// Images.
    rows: RowQuantizer,
    results: Finish,
    input: Id,
    output: Id,
}

impl TransposeConvHybrid {
    /// Of `rows`, which are images, `outside` is ignored.
    pub(crate) fn new(
        phases: Phases<RealChannels>,
        rows: RowQuantizer,
        results: Finish,
        [input, output]: [Id; 2],
    ) -> Self {
        let outside = phases.outside();
        TransposeConvHybrid { phases, rows: RowQuantizer { outside, ..rows }, results, input, output }
    }
}

impl Step for TransposeConvHybrid {
    fn name(&self) -> &'static str {
        "TRANSPOSE_CONV"
    }

    fn scratch(&self) -> usize {
        self.rows.scratch()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let output = cx.output::<f32>(self.output).share();
        let epilogue = epilogue::bind(&self.results.epilogue, cx);
        let quantized = self.rows.quantize(cx, cx.input(self.input), cx.scratch())?;
        let window = &self.phases.window;
        let width = window.columns.input * window.channels;
        self.phases.for_each(cx, |line| {
            let image = line / window.rows.input;
            let rows = [quantized.rows.get(image); phases_u8::ROWS];
            let results = |channels: &RealChannels| {
                let limits = self.results.clamp;
                Results::Reals(ToReals { channels: channels.block(0), rows: rows.as_ptr(), limits })
            };
            let (outside, size) = (quantized.outside(image), size_of::<f32>());
            let row = Row { line, input: quantized.bytes, outside, output: output.cast(), size };
            // SAFETY: each row is computed by one thread, which has begun a session. The phases were built with
            // channels for the columns of each form, and `rows` has as many rows as `row` asks for.
            unsafe {
                self.phases.row(&row, results);
                epilogue.apply(
                    self.results.map,
                    output,
                    OutputRows { first: line * width, stride: 0, count: 1, len: width },
                );
            }
        })
    }
}
