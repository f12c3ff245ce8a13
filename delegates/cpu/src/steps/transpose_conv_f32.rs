//! Transposed convolution of `f32`: for each [phase](super::phases) of the stride a convolution with some of the taps.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_layers::{Aligned, Clamp, Id, Stored, Window};

use super::phases::{Form, Layout, MAX_TAPS, Phase};
use super::post::{self, Bounds, Post};
use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::kernels::widen;
use crate::memory::Shared;
use crate::program::{Run, Step};
use crate::store::{Block, Store};

/// Most rows of a tile.
const ROWS: usize = 28;

/// A transposed convolution with packed weights.
pub struct TransposeConvF32 {
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
    posts: Vec<Post>,
    input: Id,
    output: Id,
}

/// What a [`TransposeConvF32`] is made of.
pub struct Parts<'a> {
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
    /// Range of results before `posts`.
    pub clamp: Clamp,
    /// What follows.
    pub posts: Vec<Post>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl TransposeConvF32 {
    /// Packs the weights.
    pub fn new(gemm: &'static Gemm, map: &'static Map, store: &Store, parts: Parts<'_>) -> Result<Self> {
        let Parts { window, depth, weights, .. } = parts;
        let channels = window.channels;
        let mut len = 0;
        let layout = Layout::new(&window, |taps, width| {
            let at = len;
            len += gemm.packed_len(taps * depth, width * channels).next_multiple_of(16);
            at
        });
        let key = format!("{} {:?} {} {}", gemm.name, layout.forms, parts.bias.is_some(), parts.name);
        let packed = store.block(&key, len, |packed: &mut [f32]| {
            let (rows, columns) = (&window.rows, &window.columns);
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
                let bias = |j: usize| parts.bias.map_or(0.0, |bias| bias[j % channels]);
                let (lines, count) = (down * across * depth, form.width * channels);
                let panels = &mut packed[form.packed..][..gemm.packed_len(lines, count)];
                gemm.pack(lines, count, panels, weight, bias);
            }
        })?;
        Ok(TransposeConvF32 {
            gemm,
            map,
            window,
            depth,
            layout,
            packed,
            zeros: Aligned::try_zeros(depth)?,
            clamp: parts.clamp,
            posts: parts.posts,
            input: parts.input,
            output: parts.output,
        })
    }

    /// Computes row `line` of the output, counted through all images.
    ///
    /// # Safety
    /// `input` and `output` are the tensors; nobody else writes this row.
    unsafe fn row(&self, line: usize, input: *const f32, output: *mut f32, posts: &Bounds) {
        let (rows, columns) = (&self.window.rows, &self.window.columns);
        let (image, y) = (line / rows.input, line % rows.input);
        let (phase, lead) = ((y + rows.before) % rows.stride, (y + rows.before) / rows.stride);
        let width = columns.input * self.window.channels;
        for (phase, form) in self.layout.row(phase) {
            let most = self.gemm.rows(form.width * self.window.channels).min(ROWS);
            let tiles = phase.count.div_ceil(most);
            for t in 0..tiles {
                let (first, end) = (t * phase.count / tiles, (t + 1) * phase.count / tiles);
                let mut pointers = [const { MaybeUninit::<*const f32>::uninit() }; ROWS * MAX_TAPS];
                for (i, pointers) in
                    pointers.chunks_exact_mut(end - first).take(form.taps[0] * form.taps[1]).enumerate()
                {
                    let (jy, jx) = (i / form.taps[1], i % form.taps[1]);
                    let row = lead.checked_sub(jy).filter(|&row| row < rows.output);
                    let row = row.map(|row| (image * rows.output + row) * columns.output);
                    for (pointer, q) in pointers.iter_mut().zip(first..end) {
                        let column =
                            (phase.lead + q).checked_sub(jx).filter(|&column| column < columns.output);
                        let pixel = row
                            .zip(column)
                            .map(|(row, column)| input.wrapping_add((row + column) * self.depth));
                        pointer.write(pixel.unwrap_or(self.zeros.as_ptr()));
                    }
                }
                let start = line * width + (phase.first + first * phase.step) * self.window.channels;
                // SAFETY: the results are in this row, which is this call's; pointers are to pixels of the input or to zeros.
                unsafe { self.tile((phase, form), end - first, pointers.as_ptr().cast(), output.add(start)) };
            }
        }
        // SAFETY: the row, just written by this thread.
        unsafe { posts.apply(self.map, output, (line * width, 0), (1, width)) };
    }

    /// Computes `rows` results of a phase, the first of them at `c`.
    ///
    /// # Safety
    /// `a` are `[taps][rows]` pointers to pixels; the results are writable and this thread's.
    unsafe fn tile(&self, (phase, form): (&Phase, &Form), rows: usize, a: *const *const f32, c: *mut f32) {
        let channels = self.window.channels;
        let taps = form.taps[0] * form.taps[1];
        let (mut column, mut panel, columns) = (0, form.packed, form.width * channels);
        while column < columns {
            let width = self.gemm.panel_width(column, columns);
            let weights = self.packed[panel..].as_ptr();
            let tile = Tile {
                a,
                taps,
                k: self.depth,
                weights,
                c: c.wrapping_add(column),
                stride: phase.step * channels,
                columns: width.min(columns - column),
                low: self.clamp.low,
                high: self.clamp.high,
                prefetch: Prefetch::nothing(weights),
            };
            // SAFETY: selected for this machine; pixels have `depth` values, the panel `taps · depth` lines.
            unsafe { self.gemm.by_vectors[width / self.gemm.lanes - 1][rows - 1](&tile) };
            panel += width * (taps * self.depth + 1);
            column += width;
        }
    }
}

impl Step for TransposeConvF32 {
    fn name(&self) -> &'static str {
        "TRANSPOSE_CONV"
    }

    fn weights(&self) -> *const f32 {
        self.packed.as_ptr()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = Shared::new(cx.place::<f32>(self.input));
        let output = Shared::new(cx.place::<f32>(self.output));
        let posts = post::bind(&self.posts, cx);
        let Window { batches, rows, columns, channels } = self.window;
        let taps = (rows.taps * columns.taps).div_ceil(rows.stride * columns.stride);
        let cost = columns.input * channels * self.depth * taps;
        cx.parallel_for(batches * rows.input, super::grain(cost), |range| {
            for line in range {
                // SAFETY: the host's tensors have the shapes that the step was built for; each row is one thread's.
                unsafe { self.row(line, input.get(), output.get(), &posts) };
            }
        })
    }
}
