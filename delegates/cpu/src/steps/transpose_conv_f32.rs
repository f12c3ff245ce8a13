//! Transposed convolution of `f32`: for each [phase](crate::reach::phases) of the stride, a convolution with some of
//! the taps.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_base::{Aligned, Clamp, Stored};
use arenite_layers::{Id, Window, aligned_zeros};

use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::kernels::widen;
use crate::memory::{Source, Target};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp};
use crate::reach::phases::{self, Form, Layout, MAX_TAPS, Phase, PhaseInput, PhaseTile};
use crate::step::{Grain, PrefetchAddress, Run, Step};
use crate::store::{Block, Store};

/// Most rows of a tile.
const ROWS: usize = 28;

/// A transposed convolution with packed weights.
pub(crate) struct TransposeConvF32 {
    gemm: &'static Gemm,
    map: &'static Map,
    /// Of the convolution whose gradient this is: its input is the output here.
    window: Window,
    /// Channels of the input.
    depth: usize,
    layout: Layout,
    packed: Block<f32>,
    zeros: Aligned<f32>,
    clamp: Clamp,
    epilogue: Vec<EpilogueOp>,
    input: Id,
    output: Id,
}

/// The parts of a [`TransposeConvF32`].
pub(crate) struct TransposeConvF32Parameters<'a> {
    /// Of the convolution whose gradient this is: its input is the output here.
    pub window: Window,
    /// Channels of the input.
    pub depth: usize,
    /// Names the weights in a cache.
    pub name: String,
    /// `[channels of the output][taps][channels of the input]`.
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

/// Packs the taps of each form of the layout.
fn pack(
    gemm: &'static Gemm,
    store: &Store,
    parts: &TransposeConvF32Parameters<'_>,
) -> Result<(Layout, Block<f32>)> {
    let &TransposeConvF32Parameters { ref window, depth, ref weights, bias, ref name, .. } = parts;
    let (channels, rows, columns) = (window.channels, &window.rows, &window.columns);
    let mut len = 0;
    let layout = Layout::new(window, |taps, width| {
        let at = len;
        len += gemm.packed_len(taps * depth, width * channels).next_multiple_of(16);
        at
    });
    let strides = [rows.stride, columns.stride];
    let key = format!("{} {:?} by {strides:?}, bias {}, {name}", gemm.name, layout.forms, bias.is_some());
    let packed = store.block(&key, len, |packed: &mut [f32]| {
        let mut room = Vec::new();
        let weights = weights.all(widen::halves(gemm.isa), &mut room);
        for form in &layout.forms {
            let ([down, across], [y, x]) = (form.taps, form.first);
            let weight = |j: usize, i: usize| {
                let (o, tap, c) = (j % channels, i / depth, i % depth);
                let ky = y + tap / across * rows.stride;
                let kx = x + j / channels + tap % across * columns.stride;
                weights[((o * rows.taps + ky) * columns.taps + kx) * depth + c]
            };
            let bias = |j: usize| bias.map_or(0.0, |bias| bias[j % channels]);
            let (lines, count) = (down * across * depth, form.width * channels);
            let panels = &mut packed[form.packed..][..gemm.packed_len(lines, count)];
            gemm.pack(lines, count, panels, weight, bias);
        }
    })?;
    Ok((layout, packed))
}

impl TransposeConvF32 {
    /// Packs the weights.
    pub(crate) fn new(
        gemm: &'static Gemm,
        map: &'static Map,
        store: &Store,
        parts: TransposeConvF32Parameters<'_>,
    ) -> Result<Self> {
        let (layout, packed) = pack(gemm, store, &parts)?;
        let TransposeConvF32Parameters { window, depth, .. } = parts;
        Ok(TransposeConvF32 {
            gemm,
            map,
            window,
            depth,
            layout,
            packed,
            zeros: aligned_zeros(depth)?,
            clamp: parts.clamp,
            epilogue: parts.epilogue,
            input: parts.input,
            output: parts.output,
        })
    }

    /// Computes `output`, row `line` of the output, counted through all images.
    fn row(
        &self,
        line: usize,
        input: Source<'_, f32>,
        output: &mut Target<'_, f32>,
        epilogue: &Epilogue<'_>,
    ) {
        let rows = &self.window.rows;
        let (image, y) = (line / rows.input, line % rows.input);
        let (phase, lead) = ((y + rows.before) % rows.stride, (y + rows.before) / rows.stride);
        for (phase, form) in self.layout.row(phase) {
            let most = self.gemm.rows(form.width * self.window.channels).min(ROWS);
            let tiles = phase.count.div_ceil(most);
            for t in 0..tiles {
                let (first, end) = (t * phase.count / tiles, (t + 1) * phase.count / tiles);
                let mut pointers = [const { MaybeUninit::<*const f32>::uninit() }; ROWS * MAX_TAPS];
                let pixels = PhaseInput { input, depth: self.depth, outside: self.zeros.as_ptr() };
                let tile = PhaseTile { phase, form, image, lead, results: first..end };
                phases::point(&self.window, tile, pixels, &mut pointers);
                let start = (phase.first + first * phase.step) * self.window.channels;
                let len = ((end - first - 1) * phase.step + form.width) * self.window.channels;
                let (a, mut to) = (pointers.as_ptr().cast(), output.part(start, len));
                // SAFETY: each pointer is to the `depth` values of a pixel, or to as many zeros.
                unsafe { self.tile((phase, form), end - first, a, &mut to) };
            }
        }
        epilogue.iter().for_each(|op| op.apply_over(self.map, output, line * output.len()));
    }

    /// Computes `rows` results of a phase. `output` starts with the first and ends with the last.
    ///
    /// # Safety
    /// `a` must be `[taps][rows]` pointers to `depth` values each.
    unsafe fn tile(
        &self,
        (phase, form): (&Phase, &Form),
        rows: usize,
        a: *const *const f32,
        output: &mut Target<'_, f32>,
    ) {
        let channels = self.window.channels;
        let (taps, stride) = (form.taps[0] * form.taps[1], phase.step * channels);
        let lines = taps * self.depth + 1;
        let (mut column, mut panel, all) = (0, form.packed, form.width * channels);
        while column < all {
            let width = self.gemm.panel_width(column, all);
            let columns = width.min(all - column);
            let weights = self.packed[panel..][..width * lines].as_ptr();
            let tile = Tile {
                a,
                taps,
                k: self.depth,
                weights,
                c: output.at(column, (rows - 1) * stride + columns),
                stride,
                columns,
                low: self.clamp.low,
                high: self.clamp.high,
                prefetch: Prefetch::nothing(weights),
                ..Tile::PLAIN
            };
            // SAFETY: the entry was selected for this machine, and is for `rows` rows; pointers are as the caller says,
            // the panel was sliced with its lines, and the results are inside of `output`.
            unsafe { self.gemm.kernel(width, rows)(&tile) };
            panel += width * lines;
            column += width;
        }
    }
}

impl Step for TransposeConvF32 {
    fn name(&self) -> &'static str {
        "TRANSPOSE_CONV"
    }

    fn weights(&self) -> PrefetchAddress {
        PrefetchAddress::of(&self.packed)
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = cx.input::<f32>(self.input);
        let epilogue = epilogue::bind(&self.epilogue, cx);
        let Window { rows, columns, channels, .. } = self.window;
        let taps = (rows.taps * columns.taps).div_ceil(rows.stride * columns.stride);
        let width = columns.input * channels;
        let grain = Grain::of_cost(width * self.depth * taps);
        cx.parallel_parts(cx.output::<f32>(self.output), width, grain, |lines, mut y| {
            for (i, line) in lines.enumerate() {
                self.row(line, input, &mut y.part(i * width, width), &epilogue);
            }
        })
    }
}
