//! Depthwise convolution of bytes to bytes, which reads pixels from [`Planes`], or where they are if results are few.

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::{Id, Window};

use super::cascade::RowStep;
use crate::fixed_point::Factor;
use crate::kernels::u8i8_dwconv::{DwConv, Results};
use crate::memory::{Disjoint, Source, Target};
use crate::reach::epilogue::Epilogue;
use crate::reach::planes_u8::{Job, OUTSIDE, Pixels, Planes, Room};
use crate::requantize::{Bytes, Channel, Channels};
use crate::step::{Run, Step};
use crate::store::Store;

/// A convolution with packed weights.
pub(crate) struct DwConvU8 {
    pixels: PixelReader,
    table: Channels,
    zeros: Aligned<u8>,
    input: Id,
    output: Id,
}

/// How pixels are read.
enum PixelReader {
    Planes(Planes),
    Pixels(Pixels),
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
        let none = Channel { bias: 0, factor: Factor::ZERO };
        let is_far = || Channels::new(member.lanes, parts.channels, parts.bytes).is_far;
        let is_few = parts.multiplier == 1 && Pixels::takes(&parts.window, parts.weights) && is_far();
        let (pixels, order) = if let Some(kernel) = member.pixel.filter(|_| is_few) {
            let pixels = Pixels::new(member, kernel, store, &parts.window, weights)?;
            let order = pixels.order(none, |channel| parts.channel(pixels.window(), member.offset, channel));
            (PixelReader::Pixels(pixels), order)
        } else {
            let planes = Planes::new(member, store, &parts.window, parts.multiplier, weights)?;
            let order = planes.order(none, |channel| parts.channel(&planes.window, member.offset, channel));
            (PixelReader::Planes(planes), order)
        };
        let table = Channels::new(member.lanes, &order, parts.bytes);
        let mut zeros = Aligned::zeros(OUTSIDE);
        zeros.fill(parts.zero_point);
        Ok(DwConvU8 { pixels, table, zeros, input: parts.input, output: parts.output })
    }
}

impl DwConvU8 {
    /// Computes a row of results of a block of channels. Rows are counted through all images.
    ///
    /// # Safety
    /// No other thread may access these results in `output`, the tensor.
    unsafe fn row(
        &self,
        planes: &Planes,
        block: usize,
        row: usize,
        room: &mut Room,
        (input, output): (Source<'_, u8>, Disjoint<'_, u8>),
    ) {
        let job = Job {
            block,
            row,
            input,
            outside: Source::of(&self.zeros),
            results: self.results(),
            output,
            size: 1,
        };
        // SAFETY: the results are the caller's; `new` made channels for all blocks.
        unsafe { planes.row(&job, room) };
    }

    /// How sums become bytes.
    fn results(&self) -> Results {
        let Channels { is_far, bytes, .. } = self.table;
        Results::Bytes { table: self.table.block(0), is_far, bytes }
    }

    fn read(&self) -> &Window {
        match &self.pixels {
            PixelReader::Planes(planes) => &planes.window,
            PixelReader::Pixels(pixels) => pixels.window(),
        }
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
        match &self.pixels {
            PixelReader::Planes(planes) => planes.repeated(),
            PixelReader::Pixels(_) => 0,
        }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (input, output) = (cx.input(self.input), cx.output::<u8>(self.output).share());
        match &self.pixels {
            PixelReader::Planes(planes) => {
                let places = (planes.repeat(cx, input, cx.scratch())?, output);
                planes.for_each(cx, |block, row, room| {
                    // SAFETY: each block of each row is one thread's.
                    unsafe { self.row(planes, block, row, room, places) };
                })
            }
            PixelReader::Pixels(pixels) => {
                let (all, outside) = (0..pixels.window().positions(), Source::of(&self.zeros));
                // SAFETY: this thread computes all results; `new` made far channels for all blocks.
                unsafe { pixels.compute(all, input, outside, self.results(), output) };
                Ok(())
            }
        }
    }
}

impl RowStep for DwConvU8 {
    fn window(&self) -> (&Window, usize) {
        (self.read(), self.read().channels)
    }

    fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: Source<'_, u8>,
        output: Target<'_, u8>,
        _: &Epilogue<'_>,
    ) {
        let (above, columns) = (image * self.read().rows.output, self.read().columns.output);
        let width = output.len() / rows.len();
        let rows = above + rows.start..above + rows.end;
        let output = output.share().within(rows.start * width);
        match &self.pixels {
            PixelReader::Planes(planes) => planes.for_rows(rows, |block, row, room| {
                // SAFETY: the row is in `output`, which only this call writes.
                unsafe { self.row(planes, block, row, room, (input, output)) };
            }),
            PixelReader::Pixels(pixels) => {
                let positions = rows.start * columns..rows.end * columns;
                let outside = Source::of(&self.zeros);
                // SAFETY: the rows are in `output`, which only this call writes.
                unsafe { pixels.compute(positions, input, outside, self.results(), output) };
            }
        }
    }
}
