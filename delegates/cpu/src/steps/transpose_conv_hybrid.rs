//! Transposed convolution of `f32` with weights of bytes: images are quantized first, sums of products of bytes become `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::conv_hybrid::Finish;
use super::phases_u8::{self, Phases, Row};
use super::post;
use super::rows_u8::Rows;
use crate::kernels::u8i8_gemm::{Results, ToReals};
use crate::memory::Shared;
use crate::program::{Run, Step};
use crate::rescale::RealChannels;

/// A transposed convolution with packed weights.
pub struct TransposeConvHybrid {
    phases: Phases<RealChannels>,
    /// Images.
    rows: Rows,
    results: Finish,
    input: Id,
    output: Id,
}

impl TransposeConvHybrid {
    /// Of `rows`, which are images, `outside` is ignored.
    pub fn new(phases: Phases<RealChannels>, rows: Rows, results: Finish, [input, output]: [Id; 2]) -> Self {
        let outside = phases.outside();
        TransposeConvHybrid { phases, rows: Rows { outside, ..rows }, results, input, output }
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
        let (input, scratch) = (Shared::new(cx.place(self.input)), Shared::new(cx.scratch()));
        let output = Shared::new(cx.place::<f32>(self.output));
        let posts = post::bind(&self.results.posts, cx);
        // SAFETY: the host's tensor has the shape that the step was built for, and its scratch memory the size.
        let quantized = unsafe { self.rows.quantize(cx, input, scratch)? };
        let window = &self.phases.window;
        let width = window.columns.input * window.channels;
        self.phases.for_each(cx, |line| {
            let image = line / window.rows.input;
            // SAFETY: there is one per image.
            let rows = [unsafe { *quantized.rows.get().add(image) }; phases_u8::ROWS];
            let results = |channels: &RealChannels| {
                let limits = self.results.clamp;
                Results::Reals(ToReals { channels: channels.block(0), rows: rows.as_ptr(), limits })
            };
            let row = Row {
                line,
                input: quantized.bytes.get(),
                outside: quantized.outside(image),
                output: output.get().cast(),
                size: size_of::<f32>(),
            };
            // SAFETY: the host's tensors have the shapes that the step was built for; each row is one thread's.
            unsafe {
                self.phases.row(&row, results);
                posts.apply(self.results.map, output.get(), (line * width, 0), (1, width));
            }
        })
    }
}
