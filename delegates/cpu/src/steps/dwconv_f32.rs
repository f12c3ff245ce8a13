//! Depthwise convolution of `f32`: a row of the output at a time, cut into tiles of neighbouring results.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::{Clamp, Stored};
use arenite_layers::{Id, Window};

use crate::kernels::f32_dwconv::{DwConv, Taps, Tile};
use crate::kernels::f32_map::Map;
use crate::kernels::widen;
use crate::memory::{Source, Target};
use crate::reach::epilogue::EpilogueOp;
use crate::reach::slide::{Line, Pointers, Slide, Slides, Way};
use crate::step::{Grain, Run, Step};
use crate::store::{Block, Store};

/// A depthwise convolution with packed weights.
pub(crate) struct DwConvF32 {
    kernels: &'static DwConv,
    taps: Option<&'static Taps>,
    map: &'static Map,
    /// The window. Its channels are the channels of the output.
    slide: Slide,
    multiplier: usize,
    packed: Block<f32>,
    low: f32,
    high: f32,
    epilogue: Vec<EpilogueOp>,
    input: Id,
    output: Id,
}

/// The parts of a [`DwConvF32`].
pub(crate) struct DwConvF32Parameters<'a> {
    /// Geometry; `channels` are the input's.
    pub window: Window,
    /// Results per channel of the input.
    pub multiplier: usize,
    /// Names the weights in a cache.
    pub name: String,
    /// `[taps][channels · multiplier]`.
    pub weights: Stored<'a>,
    /// One per channel of the output, or none.
    pub bias: Option<&'a [f32]>,
    /// Range of results before `epilogue`.
    pub clamp: Clamp,
    /// The epilogue.
    pub epilogue: Vec<EpilogueOp>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl DwConvF32 {
    /// Packs the weights.
    pub(crate) fn new(
        kernels: &'static DwConv,
        map: &'static Map,
        store: &Store,
        parts: DwConvF32Parameters<'_>,
    ) -> Result<Self> {
        let channels = parts.window.channels * parts.multiplier;
        let window = Window { channels, ..parts.window };
        let columns = window.columns;
        let blocks = channels.div_ceil(kernels.lanes);
        let taps = window.rows.taps * columns.taps;
        let bias = parts.bias.is_some();
        let key = format!("{} {taps} × {channels}, bias {bias}, {}", kernels.name, parts.name);
        let packed = store.block(&key, blocks * kernels.block(taps), |packed: &mut [f32]| {
            let mut room = Vec::new();
            let weights = parts.weights.all(widen::halves(kernels.isa), &mut room);
            kernels.pack(channels, weights, packed, |c| parts.bias.map_or(0.0, |bias| bias[c]));
        })?;
        Ok(DwConvF32 {
            kernels,
            taps: kernels.taps(columns.taps, columns.stride).filter(|_| columns.dilation == 1),
            map,
            slide: Slide::new(window, kernels.lanes, kernels.results, 0.0),
            multiplier: parts.multiplier,
            packed,
            low: parts.clamp.low,
            high: parts.clamp.high,
            epilogue: parts.epilogue,
            input: parts.input,
            output: parts.output,
        })
    }

    /// Elements of the input with each channel as often as it has results.
    fn expanded(&self) -> usize {
        self.slide.window.batches * self.slide.window.image()
    }

    /// Repeats each channel for each of its results.
    fn expand(&self, cx: &Run<'_>, y: Target<'_, f32>) -> Result<()> {
        let (x, times) = (cx.input::<f32>(self.input), self.multiplier);
        cx.parallel_parts(y, times, Grain::of_cost(4 * times), |elements, mut y| {
            for (i, element) in elements.enumerate() {
                y.part(i * times, times).fill(x.get(element));
            }
        })
    }
}

impl Slides for DwConvF32 {
    fn slide(&self) -> &Slide {
        &self.slide
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &self.epilogue
    }

    fn map(&self) -> &Map {
        self.map
    }

    fn tile(&self, line: &Line, columns: &Range<usize>, input: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let w = &self.slide.window;
        let c = y.at(0, columns.len() * w.channels);
        let pixels = self.slide.pixels(line, input);
        let mut tile = Tile {
            pixels,
            weights: self.packed.as_ptr(),
            skip: line.taps.start * w.columns.taps,
            block: self.kernels.block(w.rows.taps * w.columns.taps),
            c,
            stride: w.channels,
            channels: w.channels,
            low: self.low,
            high: self.high,
        };
        let mut pointers: Pointers = [const { MaybeUninit::uninit() }; _];
        let mut done = 0;
        if let Some(kernels) = self.taps {
            done = self.slide.split(line, columns).whole;
            tile.channels = done;
            let by_results = match self.slide.aim(&mut tile.pixels, columns, &mut pointers) {
                Way::Even => kernels.even,
                Way::Pointed => kernels.pointed,
            };
            // SAFETY: the kernel was selected for this machine. Pixels are in the rows that `pixels` looked up, and
            // `split` checked that whole vectors of `done` channels are readable, or they are `outside`. `y` has a
            // pixel for each of the columns.
            unsafe { by_results[columns.len() - 1](&tile) };
        }
        if done < w.channels {
            tile.pixels = pixels.offset(done);
            self.slide.aim_taps(&mut tile.pixels, columns, &mut pointers);
            tile.channels = w.channels - done;
            tile.weights = self.packed[done / self.kernels.lanes * tile.block..].as_ptr();
            tile.c = c.wrapping_add(done);
            // SAFETY: the kernel was selected for this machine and reads exactly the remaining channels. Pixels are in
            // the rows that `pixels` looked up, or are `outside`. `y` has a pixel for each of the columns.
            unsafe { self.kernels.exact[columns.len() - 1](&tile) };
        }
    }
}

impl Step for DwConvF32 {
    fn name(&self) -> &'static str {
        "DEPTHWISE_CONV_2D"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = match self.multiplier {
            1 => cx.input::<f32>(self.input),
            _ => {
                let (mut expanded, _) = cx.scratch().take(self.expanded());
                self.expand(cx, expanded.part(0, self.expanded()))?;
                expanded.into_source()
            }
        };
        self.all_rows(cx, input, self.output)
    }

    fn scratch(&self) -> usize {
        if self.multiplier == 1 { 0 } else { self.expanded() * size_of::<f32>() }
    }
}
