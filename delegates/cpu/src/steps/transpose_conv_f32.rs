//! Transposed convolution of `f32`: for each phase of the stride a convolution with some of the taps.
//!
//! ```text
//! y[p] = Σ x[i] · w[k]   over  i · stride + k − before = p
//! phase r = (p + before) mod stride:   k = r + stride · j,   i = (p + before) / stride − j
//! ```
//! Results of a phase lie `stride` pixels apart. Where all phases of a row have equal taps at equal places, they are computed as one,
//! with `stride` times as many columns side by side.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;

use super::post::{self, Bounds, Post};
use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::memory::{Aligned, Shared};
use crate::net::Id;
use crate::program::{Run, Step};
use crate::store::{Block, Store};
use crate::stored::Stored;
use crate::window::{Axis, Window};

/// Most rows of a tile.
const ROWS: usize = 28;
/// Most taps of a phase.
pub const MAX_TAPS: usize = 64;

/// A transposed convolution with packed weights.
pub struct TransposeConvF32 {
    gemm: &'static Gemm,
    map: &'static Map,
    /// Of the convolution whose gradient this is: its input is the output here.
    window: Window,
    /// Channels of the input.
    depth: usize,
    /// For each phase of the rows those of the columns.
    phases: Vec<Vec<Phase>>,
    packed: Block<f32>,
    zeros: Aligned<f32>,
    limits: (f32, f32),
    posts: Vec<Post>,
    input: Id,
    output: Id,
}

/// Results of a row that are made of the same taps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// Taps, along both axes.
    pub(super) taps: [usize; 2],
    /// The first result.
    pub(super) first: usize,
    /// The input's column of its first tap.
    pub(super) lead: usize,
    /// Results.
    pub(super) count: usize,
    /// Pixels side by side that one result stands for.
    pub(super) width: usize,
    /// Where its packed weights begin.
    pub(super) packed: usize,
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
    pub limits: (f32, f32),
    /// What follows.
    pub posts: Vec<Post>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

/// Taps of phase `r`.
pub fn taps_of(axis: &Axis, r: usize) -> usize {
    axis.taps.saturating_sub(r).div_ceil(axis.stride)
}

/// The first position of phase `r` and the input position of its first tap.
fn first_of(axis: &Axis, r: usize) -> (usize, usize) {
    let first = (r + axis.stride - axis.before % axis.stride) % axis.stride;
    (first, (first + axis.before) / axis.stride)
}

/// The phases of a row whose taps along the other axis are `rows`; `packed` says where the weights of the next one begin.
pub(super) fn phases(axis: &Axis, rows: usize, mut packed: impl FnMut(usize, usize) -> usize) -> Vec<Phase> {
    let s = axis.stride;
    let mut phase = |r: usize, width: usize| {
        let ((first, lead), taps) = (first_of(axis, r), [rows, taps_of(axis, r)]);
        let count = axis.input.saturating_sub(first).div_ceil(s);
        Phase { taps, first, lead, count, width, packed: packed(taps[0] * taps[1], width) }
    };
    if axis.taps.is_multiple_of(s) && axis.before.is_multiple_of(s) && axis.input.is_multiple_of(s) {
        return vec![phase(0, s)];
    }
    (0..s).map(|r| phase(r, 1)).collect()
}

/// How weights are packed for the phases of each row: taps, columns of a product, and where they begin. All else that is
/// known of phases comes of the size of the image.
pub(super) fn forms(phases: &[Vec<Phase>]) -> Vec<Vec<([usize; 2], usize, usize)>> {
    let form = |phase: &Phase| (phase.taps, phase.width, phase.packed);
    phases.iter().map(|row| row.iter().map(form).collect()).collect()
}

impl TransposeConvF32 {
    /// Packs the weights.
    pub fn new(gemm: &'static Gemm, map: &'static Map, store: &Store, parts: Parts<'_>) -> Result<Self> {
        let Parts { window, depth, weights, .. } = parts;
        let channels = window.channels;
        let mut len = 0;
        let mut place = |taps: usize, width: usize| {
            let at = len;
            len += gemm.packed_len(taps * depth, width * channels).next_multiple_of(16);
            at
        };
        let of_rows = |r: usize| phases(&window.columns, taps_of(&window.rows, r), &mut place);
        let phases: Vec<Vec<Phase>> = (0..window.rows.stride).map(of_rows).collect();
        let key = format!("{} {:?} {} {}", gemm.name, forms(&phases), parts.bias.is_some(), parts.name);
        let packed = store.block(&key, len, |packed: &mut [f32]| {
            let (rows, columns) = (&window.rows, &window.columns);
            let mut room = Vec::new();
            let weights = weights.all(gemm.isa, &mut room);
            for (ry, phase) in
                phases.iter().enumerate().flat_map(|(ry, list)| list.iter().map(move |p| (ry, p)))
            {
                let [_, across] = phase.taps;
                let lines = phase.taps[0] * across * depth;
                let first = (phase.first + columns.before) % columns.stride;
                let weight = |j: usize, i: usize| {
                    let (o, tap, c) = (j % channels, i / depth, i % depth);
                    let ky = ry + tap / across * rows.stride;
                    let kx = first + j / channels + tap % across * columns.stride;
                    weights[((o * rows.taps + ky) * columns.taps + kx) * depth + c]
                };
                let bias = |j: usize| parts.bias.map_or(0.0, |bias| bias[j % channels]);
                let count = phase.width * channels;
                let panels = &mut packed[phase.packed..][..gemm.packed_len(lines, count)];
                gemm.pack(lines, count, panels, weight, bias);
            }
        })?;
        Ok(TransposeConvF32 {
            gemm,
            map,
            window,
            depth,
            phases,
            packed,
            zeros: Aligned::zeros(depth),
            limits: parts.limits,
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
        for phase in &self.phases[phase] {
            let most = self.gemm.rows(phase.width * self.window.channels).min(ROWS);
            let tiles = phase.count.div_ceil(most);
            for t in 0..tiles {
                let (first, end) = (t * phase.count / tiles, (t + 1) * phase.count / tiles);
                let mut pointers = [const { MaybeUninit::<*const f32>::uninit() }; ROWS * MAX_TAPS];
                for (i, pointers) in
                    pointers.chunks_exact_mut(end - first).take(phase.taps[0] * phase.taps[1]).enumerate()
                {
                    let (jy, jx) = (i / phase.taps[1], i % phase.taps[1]);
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
                let start = line * width + (phase.first + first * columns.stride) * self.window.channels;
                // SAFETY: the caller's promise; pointers are to pixels of the input or to zeros.
                unsafe { self.tile(phase, end - first, pointers.as_ptr().cast(), output.add(start)) };
            }
        }
        for post in posts.iter() {
            // SAFETY: just written, by this thread.
            unsafe { post.apply(self.map, output, output, line * width, width) };
        }
    }

    /// Computes `rows` results of a phase, the first of them at `c`.
    ///
    /// # Safety
    /// `a` are `[taps][rows]` pointers to pixels; the results are writable and this thread's.
    unsafe fn tile(&self, phase: &Phase, rows: usize, a: *const *const f32, c: *mut f32) {
        let channels = self.window.channels;
        let taps = phase.taps[0] * phase.taps[1];
        let (mut column, mut panel, columns) = (0, phase.packed, phase.width * channels);
        while column < columns {
            let width = self.gemm.panel_width(column, columns);
            let weights = self.packed[panel..].as_ptr();
            let tile = Tile {
                a,
                taps,
                k: self.depth,
                weights,
                c: c.wrapping_add(column),
                stride: self.window.columns.stride * channels,
                columns: width.min(columns - column),
                low: self.limits.0,
                high: self.limits.1,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(small: usize, taps: usize, large: usize, stride: usize, before: usize) -> Axis {
        Axis { input: large, taps, output: small, stride, dilation: 1, before }
    }

    /// Each pair of an output and a tap that meet at an input position is in one phase, once.
    #[test]
    fn phases_hold_all_taps() {
        for axis in [
            axis(5, 2, 10, 2, 0),
            axis(5, 3, 10, 2, 0),
            axis(5, 4, 10, 2, 1),
            axis(5, 3, 5, 1, 1),
            axis(4, 5, 11, 3, 1),
            axis(4, 1, 7, 2, 0),
            axis(3, 4, 6, 2, 2),
        ] {
            let mut found = Vec::new();
            for phase in phases(&axis, 1, |_, _| 0) {
                let r = (phase.first + axis.before) % axis.stride;
                for (q, w) in (0..phase.count).flat_map(|q| (0..phase.width).map(move |w| (q, w))) {
                    for j in 0..phase.taps[1] {
                        let p = phase.first + q * axis.stride + w;
                        let i = (phase.lead + q).checked_sub(j).filter(|&i| i < axis.output);
                        found.extend(i.map(|i| (p, i, r + w + j * axis.stride)));
                    }
                }
            }
            let mut want = Vec::new();
            for (i, k) in (0..axis.output).flat_map(|i| (0..axis.taps).map(move |k| (i, k))) {
                let p = (i * axis.stride + k).checked_sub(axis.before).filter(|&p| p < axis.input);
                want.extend(p.map(|p| (p, i, k)));
            }
            found.sort_unstable();
            want.sort_unstable();
            assert_eq!(found, want, "{axis:?}");
        }
    }
}
