//! Pools of `f32`: a row of the output at a time, cut into tiles of neighbouring results.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::{Clamp, PoolKind};
use arenite_layers::{Axis, Id, Window};

use crate::kernels::f32_map::Map;
use crate::kernels::f32_pool::{Columns, Pool, Tile};
use crate::memory::{Source, Target};
use crate::reach::epilogue::EpilogueOp;
use crate::reach::slide::{Line, Pointers, Slide, Slides};
use crate::step::{Run, Step, StepValues};

/// A pool.
pub(crate) struct PoolF32 {
    kernels: &'static Pool,
    columns: Option<&'static Columns>,
    map: &'static Map,
    kind: PoolKind,
    slide: Slide,
    clamp: Clamp,
    epilogue: Vec<EpilogueOp>,
    input: Id,
    output: Id,
}

/// Most results of a tile.
const RESULTS: usize = 7;

impl PoolF32 {
    /// A pool over `window`, whose results are clamped to `clamp` and followed by `epilogue`.
    pub(crate) fn new(
        kernels: &'static Pool,
        map: &'static Map,
        kind: PoolKind,
        window: Window,
        (clamp, epilogue): (Clamp, Vec<EpilogueOp>),
        StepValues { input, output }: StepValues,
    ) -> Self {
        let outside = match kind {
            PoolKind::Max => f32::NEG_INFINITY,
            PoolKind::Mean => 0.0,
        };
        PoolF32 {
            kernels,
            columns: kernels.of(kind).columns(window.columns.taps, window.columns.stride),
            map,
            kind,
            slide: Slide::new(window, kernels.lanes, kernels.results.min(RESULTS), outside),
            clamp,
            epilogue,
            input,
            output,
        }
    }
}

/// For each window with this many rows: 1 divided by the number of its pixels inside the image.
fn factors(rows: usize, axis: &Axis, columns: &Range<usize>, inside: bool) -> [f32; RESULTS] {
    let factor = |columns: usize| 1.0 / (rows * columns) as f32;
    let mut factors = [if inside { factor(axis.taps) } else { 0.0 }; RESULTS];
    if !inside {
        let taps = columns.clone().map(|x| axis.taps_inside(x).len());
        factors.iter_mut().zip(taps).for_each(|(to, taps)| *to = factor(taps));
    }
    factors
}

impl Slides for PoolF32 {
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
        let inside = w.columns.is_inside(columns.start, columns.end - 1);
        let factors = factors(line.taps.len(), &w.columns, columns, inside);
        let pixels = self.slide.pixels(line, input);
        let mut tile = Tile {
            pixels,
            factors: factors.as_ptr(),
            c,
            stride: w.channels,
            channels: w.channels,
            low: self.clamp.low,
            high: self.clamp.high,
        };
        let mut pointers: Pointers = [const { MaybeUninit::uninit() }; _];
        let mut done = 0;
        if let Some(columns_kernels) = self.columns.filter(|_| inside) {
            done = self.slide.split(line, columns).whole;
            tile.channels = done;
            self.slide.aim(&mut tile.pixels, columns, &mut pointers);
            // SAFETY: the kernel was selected for this machine. Pixels are in the rows that `pixels` looked up, and
            // `split` checked that whole vectors of `done` channels are readable, or they are `outside`. `y` has a
            // pixel for each of the columns.
            unsafe { columns_kernels.kernels[columns.len() - 1](&tile) };
        }
        if done < w.channels {
            tile.pixels = pixels.offset(done);
            self.slide.aim_taps(&mut tile.pixels, columns, &mut pointers);
            tile.channels = w.channels - done;
            tile.c = c.wrapping_add(done);
            // SAFETY: the kernel was selected for this machine and reads exactly the remaining channels. Pixels are in
            // the rows that `pixels` looked up, or are `outside`. `y` has a pixel for each of the columns.
            unsafe { self.kernels.of(self.kind).exact[columns.len() - 1](&tile) };
        }
    }
}

impl Step for PoolF32 {
    fn name(&self) -> &'static str {
        match self.kind {
            PoolKind::Max => "MAX_POOL_2D",
            PoolKind::Mean => "AVERAGE_POOL_2D",
        }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        self.all_rows(cx, cx.input(self.input), self.output)
    }
}
