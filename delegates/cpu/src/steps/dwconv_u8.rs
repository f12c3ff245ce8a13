//! Depthwise convolution of bytes to bytes, which reads pixels from [`Planes`].

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::{Id, Window};

use super::cascade::RowStep;
use crate::fixed_point::Factor;
use crate::kernels::u8i8_dwconv::{DwConv, Results};
use crate::memory::{Disjoint, Source, Target};
use crate::reach::epilogue::Epilogue;
use crate::reach::planes_u8::{Job, OUTSIDE, Planes, Room};
use crate::requantize::{Bytes, Channel, Channels};
use crate::step::{Run, Step};
use crate::store::Store;

/// A convolution with packed weights.
pub(crate) struct DwConvU8 {
    planes: Planes,
    table: Channels,
    zeros: Aligned<u8>,
    input: Id,
    output: Id,
}

/// The parts of a [`DwConvU8`].
pub(crate) struct DwConvU8Parameters<'a> {
    /// Geometry of the input.
    pub window: Window,
    /// Results per channel of the input.
    pub multiplier: usize,
    /// Names the weights in a cache.
    pub name: &'a str,
    /// `[rows][columns][channels · multiplier]`, centered: from −255 to 255.
    pub weights: &'a [i16],
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

impl DwConvU8 {
    /// Packs the weights.
    pub(crate) fn new(member: &'static DwConv, store: &Store, parts: DwConvU8Parameters<'_>) -> Result<Self> {
        let weights = (parts.name, parts.weights);
        let planes = Planes::new(member, store, &parts.window, parts.multiplier, weights)?;
        let none = Channel { bias: 0, factor: Factor::ZERO };
        let order = planes.order(none, |channel| parts.channel(&planes.window, member.offset, channel));
        let table = Channels::new(planes.lanes(), &order, parts.bytes);
        let mut zeros = Aligned::zeros(OUTSIDE);
        zeros.fill(parts.zero_point);
        Ok(DwConvU8 { planes, table, zeros, input: parts.input, output: parts.output })
    }
}

impl DwConvU8 {
    /// Computes a row of results of a block of channels. Rows are counted through all images.
    ///
    /// # Safety
    /// No other thread may access these results in `output`, the tensor.
    unsafe fn row(
        &self,
        block: usize,
        row: usize,
        room: &mut Room,
        (input, output): (Source<'_, u8>, Disjoint<'_, u8>),
    ) {
        let Channels { is_far, bytes, .. } = self.table;
        let job = Job {
            block,
            row,
            input,
            outside: Source::of(&self.zeros),
            results: Results::Bytes { table: self.table.block(0), is_far, bytes },
            output,
            size: 1,
        };
        // SAFETY: the results are the caller's; `new` made channels for all blocks.
        unsafe { self.planes.row(&job, room) };
    }
}

impl DwConvU8Parameters<'_> {
    /// Adds the terms of the zero point to the bias; bytes outside of the image are zero points too. The offset of
    /// planes is part of it as well.
    fn channel(&self, window: &Window, offset: u8, channel: usize) -> Channel {
        let taps = window.rows.taps * window.columns.taps;
        let sum: i32 = (0..taps).map(|tap| i32::from(self.weights[tap * window.channels + channel])).sum();
        let given = self.channels[channel];
        let zero_point = i32::from(self.zero_point) - i32::from(offset);
        Channel { bias: given.bias.wrapping_sub(sum * zero_point), ..given }
    }
}

impl Step for DwConvU8 {
    fn name(&self) -> &'static str {
        "DEPTHWISE_CONV_2D"
    }

    fn scratch(&self) -> usize {
        self.planes.repeated()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = self.planes.repeat(cx, cx.input(self.input), cx.scratch())?;
        let places = (input, cx.output::<u8>(self.output).share());
        self.planes.for_each(cx, |block, row, room| {
            // SAFETY: each block of each row is one thread's.
            unsafe { self.row(block, row, room, places) };
        })
    }
}

impl RowStep for DwConvU8 {
    fn window(&self) -> (&Window, usize) {
        (&self.planes.window, self.planes.window.channels)
    }

    fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: Source<'_, u8>,
        output: Target<'_, u8>,
        _: &Epilogue<'_>,
    ) {
        let above = image * self.planes.window.rows.output;
        let width = output.len() / rows.len();
        let output = output.share().within((above + rows.start) * width);
        self.planes.for_rows(above + rows.start..above + rows.end, |block, row, room| {
            // SAFETY: the row is in `output`, which only this call writes.
            unsafe { self.row(block, row, room, (input, output)) };
        });
    }
}
