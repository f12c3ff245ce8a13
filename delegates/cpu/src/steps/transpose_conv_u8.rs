//! Transposed convolution of bytes.

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::{Id, Window, aligned_zeros};

use crate::kernels::u8i8_gemm::{Gemm, Results, ToBytes};
use crate::memory::Source;
use crate::reach::phases_u8::{Column, Phases, Row};
use crate::reach::weights_u8::Weights;
use crate::requantize::{Bytes, Channel, Channels};
use crate::step::{Run, Step};
use crate::store::Store;

/// A transposed convolution with packed weights.
pub(crate) struct TransposeConvU8 {
    phases: Phases<Channels>,
    zeros: Aligned<u8>,
    input: Id,
    output: Id,
}

/// The parts of a [`TransposeConvU8`].
pub(crate) struct TransposeConvU8Parameters<'a> {
    /// Of the convolution whose gradient this is: its input is the output here.
    pub window: Window,
    /// Channels of the input.
    pub depth: usize,
    /// Names the weights in a cache.
    pub name: &'a str,
    /// `[channels of the output][taps][channels of the input]`.
    pub weights: &'a Weights<'a>,
    /// One per channel of the output; the bias does not include the zero point.
    pub channels: &'a [Channel],
    /// Of the input.
    pub zero_point: u8,
    /// How results become bytes.
    pub bytes: Bytes,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl TransposeConvU8 {
    /// Packs the weights.
    pub(crate) fn new(
        gemm: &'static Gemm,
        store: &Store,
        parts: TransposeConvU8Parameters<'_>,
    ) -> Result<Self> {
        // Adds the terms of the zero point to the bias; bytes outside of the image are zero points too.
        let channel = |column: &Column| {
            let given = parts.channels[column.channel];
            let zeros = column.sum.wrapping_mul(parts.zero_point.into());
            Channel { bias: given.bias.wrapping_sub(zeros), ..given }
        };
        let table = |lanes: usize, columns: &[Column]| {
            Channels::new(lanes, &columns.iter().map(channel).collect::<Vec<_>>(), parts.bytes)
        };
        let shape = (parts.window, parts.depth);
        let phases = Phases::new(gemm, store, shape, (parts.name, parts.weights), table)?;
        let mut zeros = aligned_zeros(phases.outside())?;
        zeros.fill(parts.zero_point);
        Ok(TransposeConvU8 { phases, zeros, input: parts.input, output: parts.output })
    }
}

impl Step for TransposeConvU8 {
    fn name(&self) -> &'static str {
        "TRANSPOSE_CONV"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (input, output) = (cx.input::<u8>(self.input), cx.output::<u8>(self.output).share());
        let results =
            |channels: &Channels| Results::Bytes(ToBytes::new(channels, channels.block(0), std::ptr::null()));
        self.phases.for_each(cx, |line| {
            let row = Row { line, input, outside: Source::of(&self.zeros), output, size: 1 };
            // SAFETY: each row is one thread's, which has begun a session; `new` made channels for the columns of each
            // form.
            unsafe { self.phases.row(&row, results) };
        })
    }
}
