//! Transposed convolution of bytes: for each phase of the stride a convolution with some of the taps, as of `f32`
//! ([`super::transpose_conv_f32`]).

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;

use super::transpose_conv_f32::{MAX_TAPS, Phase, phases, taps_of};
use crate::kernels::u8i8_gemm::{Gemm, Product, Reach, Results, ToBytes};
use crate::memory::{Aligned, Shared};
use crate::net::Id;
use crate::ops::Weights;
use crate::program::{Run, Step};
use crate::requantize::{Bytes, Channel, Channels};
use crate::store::{Block, Store};
use crate::window::Window;

/// Most rows of a tile.
const ROWS: usize = 32;
/// Multiply-adds of bytes in the time of one of `f32`.
const SPEED: usize = 4;

/// A transposed convolution with packed weights.
pub struct TransposeConvU8 {
    gemm: &'static Gemm,
    /// Of the convolution whose gradient this is: its input is the output here.
    window: Window,
    /// Channels of the input.
    depth: usize,
    /// For each phase of the rows those of the columns, each with its channels.
    phases: Vec<Vec<(Phase, Channels)>>,
    packed: Block<u8>,
    zeros: Aligned<u8>,
    input: Id,
    output: Id,
}

/// What a [`TransposeConvU8`] is made of.
pub struct Parts<'a> {
    /// Of the convolution whose gradient this is: its input is the output here.
    pub window: Window,
    /// Channels of the input.
    pub depth: usize,
    /// Names the weights in a cache.
    pub name: &'a str,
    /// `[channels of the output][taps][channels of the input]`.
    pub weights: &'a Weights<'a>,
    /// One per channel of the output; the bias without what the zero point adds.
    pub channels: &'a [Channel],
    /// Of the input.
    pub zero_point: u8,
    /// What results become.
    pub bytes: Bytes,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Parts<'_> {
    /// The weight of column `j` of a phase, whose row taps begin at `row`, at one of its taps.
    fn weight(&self, row: usize, phase: &Phase, j: usize, tap: usize, c: usize) -> i8 {
        let (rows, columns) = (&self.window.rows, &self.window.columns);
        let across = phase.taps[1];
        let first = (phase.first + columns.before) % columns.stride;
        let ky = row + tap / across * rows.stride;
        let kx = first + j / self.window.channels + tap % across * columns.stride;
        let o = j % self.window.channels;
        self.weights.at(((o * rows.taps + ky) * columns.taps + kx) * self.depth + c)
    }

    /// Column `j` of a phase. What the zero point adds is part of the bias: the bytes outside the image are zero points, too.
    fn channel(&self, row: usize, phase: &Phase, j: usize) -> Channel {
        let taps = phase.taps[0] * phase.taps[1];
        let all = (0..taps).flat_map(|tap| (0..self.depth).map(move |c| (tap, c)));
        let sum: i32 = all.map(|(tap, c)| i32::from(self.weight(row, phase, j, tap, c))).sum();
        let given = self.channels[j % self.window.channels];
        Channel { bias: given.bias.wrapping_sub(sum.wrapping_mul(self.zero_point.into())), ..given }
    }
}

impl TransposeConvU8 {
    /// Packs the weights.
    pub fn new(gemm: &'static Gemm, store: &Store, parts: Parts<'_>) -> Result<Self> {
        let Parts { window, depth, .. } = parts;
        let most = taps_of(&window.rows, 0) * taps_of(&window.columns, 0);
        let gemm = Gemm::select_for(gemm.isa, most, depth);
        let mut len = 0;
        let mut place = |taps: usize, width: usize| {
            let at = len;
            len += gemm.packed_len(taps, depth, width * window.channels).next_multiple_of(64);
            at
        };
        let of_rows = |r: usize| phases(&window.columns, taps_of(&window.rows, r), &mut place);
        let phases: Vec<Vec<Phase>> = (0..window.rows.stride).map(of_rows).collect();
        let key = format!("{} {:?} × {depth} {}", gemm.name, phases, parts.name);
        let packed = store.block(&key, len, |packed: &mut [u8]| {
            for (row, list) in phases.iter().enumerate() {
                for phase in list {
                    let (taps, count) = (phase.taps[0] * phase.taps[1], phase.width * window.channels);
                    let panels = &mut packed[phase.packed..][..gemm.packed_len(taps, depth, count)];
                    gemm.pack((taps, depth), count, panels, |j, tap, c| parts.weight(row, phase, j, tap, c));
                }
            }
        })?;
        let with_channels = |(row, list): (usize, Vec<Phase>)| {
            let table = |phase: Phase| {
                let columns = 0..phase.width * window.channels;
                let channels: Vec<Channel> = columns.map(|j| parts.channel(row, &phase, j)).collect();
                (phase, Channels::new(gemm.lanes, &channels, parts.bytes))
            };
            list.into_iter().map(table).collect()
        };
        let phases = phases.into_iter().enumerate().map(with_channels).collect();
        let mut zeros = Aligned::zeros(depth.next_multiple_of(4));
        zeros.fill(parts.zero_point);
        Ok(TransposeConvU8 {
            gemm,
            window,
            depth,
            phases,
            packed,
            zeros,
            input: parts.input,
            output: parts.output,
        })
    }

    /// Computes row `line` of the output, counted through all images.
    ///
    /// # Safety
    /// `input` and `output` are the tensors; nobody else writes this row. This thread has begun a session.
    unsafe fn row(&self, line: usize, input: *const u8, output: *mut u8) {
        let (rows, columns) = (&self.window.rows, &self.window.columns);
        let (image, y) = (line / rows.input, line % rows.input);
        let (phase, lead) = ((y + rows.before) % rows.stride, (y + rows.before) / rows.stride);
        let width = columns.input * self.window.channels;
        for (phase, channels) in &self.phases[phase] {
            let tiles = self.gemm.parts(phase.count);
            for t in 0..tiles {
                let (first, end) = self.gemm.part(t, phase.count);
                let mut pointers = [const { MaybeUninit::<*const u8>::uninit() }; ROWS * MAX_TAPS];
                for (i, pointers) in
                    pointers.chunks_exact_mut(end - first).take(phase.taps[0] * phase.taps[1]).enumerate()
                {
                    let (jy, jx) = (i / phase.taps[1], i % phase.taps[1]);
                    let row = lead.checked_sub(jy).filter(|&row| row < rows.output);
                    let row = row.map(|row| (image * rows.output + row) * columns.output);
                    for (pointer, q) in pointers.iter_mut().zip(first..end) {
                        let column =
                            (phase.lead + q).checked_sub(jx).filter(|&column| column < columns.output);
                        let pixel = row.zip(column).map(|(row, column)| (row + column) * self.depth);
                        pointer.write(pixel.map_or(self.zeros.as_ptr(), |at| input.wrapping_add(at)));
                    }
                }
                let start = line * width + (phase.first + first * columns.stride) * self.window.channels;
                // SAFETY: the caller's promise; pointers are to pixels of the input or to zero points.
                unsafe {
                    self.tile(phase, channels, end - first, pointers.as_ptr().cast(), output.add(start))
                };
            }
        }
    }

    /// Computes `rows` results of a phase, the first of them at `c`.
    ///
    /// # Safety
    /// `a` are `[taps][rows]` pointers to pixels; the results are writable and this thread's, which has begun a session.
    unsafe fn tile(&self, phase: &Phase, channels: &Channels, rows: usize, a: *const *const u8, c: *mut u8) {
        let taps = phase.taps[0] * phase.taps[1];
        let product = Product {
            a,
            rows,
            taps,
            k: self.depth,
            reach: if self.depth.is_multiple_of(4) { Reach::Groups } else { Reach::Exact },
            weights: self.packed[phase.packed..].as_ptr(),
            column_bytes: self.gemm.column_bytes(taps, self.depth),
            results: Results::Bytes(ToBytes {
                channels: channels.block(0),
                is_general: channels.is_general,
                bytes: channels.bytes,
                row_terms: std::ptr::null(),
            }),
            c,
            stride: self.window.columns.stride * self.window.channels,
            columns: phase.width * self.window.channels,
        };
        // SAFETY: selected for this machine, and a session has begun; pixels have `depth` bytes, panels as many lines for each tap.
        unsafe { self.gemm.multiply(&product) };
    }
}

impl Step for TransposeConvU8 {
    fn name(&self) -> &'static str {
        "TRANSPOSE_CONV"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = Shared::new(cx.place::<u8>(self.input));
        let output = Shared::new(cx.place::<u8>(self.output));
        let Window { batches, rows, columns, channels } = self.window;
        let taps = (rows.taps * columns.taps).div_ceil(rows.stride * columns.stride);
        let cost = columns.input * channels * self.depth * taps / SPEED;
        cx.parallel_for(batches * rows.input, super::grain(cost), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { self.gemm.begin() };
            for line in range {
                // SAFETY: the host's tensors have the shapes that the step was built for; each row is one thread's.
                unsafe { self.row(line, input.get(), output.get()) };
            }
        })
    }
}
