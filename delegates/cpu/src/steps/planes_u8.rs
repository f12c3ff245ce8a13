//! Where convolutions of bytes find their pixels, if each channel has its own weights: in planes, made of a part of a row and a block of
//! channels at a time.
//!
//! ```text
//! taps, rows by fours:  ┌ group 0: rows 0‥3 ┐ planes of group 0 ─┐
//!                       └ group 1: rows 4‥7 ┘ planes of group 1 ─┴─► results
//! ```
//! With a stride of s every s-th column of the image goes to the same planes, so that the columns that neighbouring results read with
//! one tap are neighbours there. Outside the image planes have the zero point, and all bytes are less by the kernels' offset.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;

use crate::kernels::u8i8_dwconv::{DwConv, Outputs, Results, Rows, Width};
use crate::memory::Shared;
use crate::program::Run;
use crate::simd::dot::place;
use crate::simd::interleaved;
use crate::store::{self, Store};
use crate::window::{Axis, Window};

/// Bytes of planes that a part of a row may take.
const PLANES: usize = 1 << 15;
/// Most dot products per channel.
const TAPS: usize = 256;
/// Multiply-adds of `f32` in the time of one result.
const COST: usize = 16;
/// Bytes of the zero point that are read outside of an image.
pub const OUTSIDE: usize = 64;

#[repr(align(64))]
struct Room([MaybeUninit<u8>; PLANES]);

/// A window over images of bytes, with packed weights of each channel.
pub struct Planes {
    member: &'static DwConv,
    /// Of the input, with its channels repeated `multiplier` times.
    pub window: Window,
    multiplier: usize,
    blocks: Vec<Block>,
    packed: store::Block<u8>,
    /// Column and group of each dot product.
    taps: Vec<(usize, usize)>,
}

/// A row of results for a block of channels.
#[derive(Clone, Copy)]
pub struct Job {
    /// Number of the block.
    pub block: usize,
    /// Row of the output, counted through all images.
    pub row: usize,
    /// The input, with repeated channels.
    pub input: *const u8,
    /// [`OUTSIDE`] bytes of the zero point.
    pub outside: *const u8,
    /// What the sums become: from the first block on.
    pub results: Results,
    /// The output.
    pub output: *mut u8,
    /// Bytes of a result.
    pub size: usize,
}

/// A block of channels.
struct Block {
    width: &'static Width,
    first: usize,
    /// Channels that there are.
    channels: usize,
    /// Results of a part of a row.
    part: usize,
}

/// Whether the kernels take such a window.
pub fn takes(window: &Window) -> bool {
    let groups = window.rows.taps.div_ceil(4);
    let dots = 2 * groups * window.columns.taps;
    dots <= TAPS && positions(&window.columns, 64) * window.columns.stride * groups * 4 * 16 <= PLANES
}

/// Pixels of a plane from which a part of a row of `count` results is made.
fn positions(columns: &Axis, count: usize) -> usize {
    count + (columns.taps - 1) * columns.dilation / columns.stride + 1
}

impl Planes {
    /// Packs `weights`, `[rows][columns][channels · multiplier]`, centered: from −255 to 255. A cache knows them by `name`.
    pub fn new(
        member: &'static DwConv,
        store: &Store,
        window: &Window,
        multiplier: usize,
        (name, weights): (&str, &[i16]),
    ) -> Result<Self> {
        let window = Window { channels: window.channels * multiplier, ..*window };
        let groups = window.rows.taps.div_ceil(4);
        let columns = window.columns.taps;
        // Weights beyond a byte are sums of two, the second of which comes as taps of its own.
        let is_wide = weights.iter().any(|w| i8::try_from(*w).is_err());
        let once = (0..groups).flat_map(|g| (0..columns).map(move |column| (column, g)));
        let taps: Vec<_> = if is_wide { once.clone().chain(once).collect() } else { once.collect() };
        let blocks = blocks(member, &window, groups);
        let vectors = 4 * taps.len() * member.weights;
        let sizes = (window.rows.taps, columns, window.channels, &taps);
        let key = format!("{} {sizes:?} {name}", member.name);
        let packed = store.block(&key, blocks.len() * vectors, |packed: &mut [u8]| {
            for (block, packed) in blocks.iter().zip(packed.chunks_exact_mut(vectors)) {
                for (tap, packed) in packed.chunks_exact_mut(4 * member.weights).enumerate() {
                    let is_rest = tap >= groups * columns;
                    block.pack(member, packed, |i, channel| {
                        let w = weight(weights, &window, 4 * taps[tap].1 + i, taps[tap].0, channel);
                        let first = w.clamp(-128, 127);
                        (if is_rest { w - first } else { first }) as i8
                    });
                }
            }
        })?;
        Ok(Planes { member, window, multiplier, blocks, packed, taps })
    }

    /// What is known of each channel, in the order of lanes; `none` where a lane is no channel's.
    pub fn order<T: Copy>(&self, none: T, of: impl Fn(usize) -> T) -> Vec<T> {
        self.blocks.iter().flat_map(|block| block.order(self.member, none, &of)).collect()
    }

    /// What planes have less than the bytes of the image.
    pub fn offset(&self) -> u8 {
        self.member.offset
    }

    /// Sums in a vector.
    pub fn lanes(&self) -> usize {
        self.member.lanes
    }

    /// The first channel of a block, and how many there are.
    pub fn channels(&self, block: usize) -> (usize, usize) {
        (self.blocks[block].first, self.blocks[block].channels)
    }

    /// Bytes of the input with repeated channels; 0 if they are not.
    pub fn repeated(&self) -> usize {
        if self.multiplier > 1 { self.window.batches * self.window.image() } else { 0 }
    }

    /// Repeats the channels of `from`, if they are; gives the input.
    ///
    /// # Safety
    /// `from` is the tensor, and `to` has room.
    pub unsafe fn repeat(&self, cx: &Run<'_>, from: Shared<u8>, to: Shared<u8>) -> Result<Shared<u8>> {
        if self.multiplier == 1 {
            return Ok(from);
        }
        let len = self.repeated() / self.multiplier;
        cx.parallel_for(len, super::grain(self.multiplier), |range| {
            for i in range {
                // SAFETY: the input has `len` bytes and `to` room for `multiplier` times as many.
                unsafe { to.get().add(i * self.multiplier).write_bytes(*from.get().add(i), self.multiplier) };
            }
        })?;
        Ok(to)
    }

    /// Calls `f(block, row)` for all rows of all images and all blocks of channels.
    pub fn for_each(&self, cx: &Run<'_>, f: impl Fn(usize, usize) + Sync) -> Result<()> {
        let w = &self.window;
        let rows = w.batches * w.rows.output;
        let cost = w.columns.output * w.channels * COST / self.blocks.len();
        cx.parallel_for(rows * self.blocks.len(), super::grain(cost), |range| {
            range.for_each(|item| f(item / rows, item % rows));
        })
    }

    /// Computes a row of results.
    ///
    /// # Safety
    /// `input` (with repeated channels) and `output` are the tensors; nobody else writes these results.
    pub unsafe fn row(&self, job: &Job) {
        let (w, block, y) = (&self.window, &self.blocks[job.block], job.row);
        let (image, row) = (y / w.rows.output, y % w.rows.output);
        let image = job.input.wrapping_add(image * w.image() + block.first);
        let mut planes = Room([const { MaybeUninit::uninit() }; PLANES]);
        let planes = planes.0.as_mut_ptr().cast::<u8>();
        let vectors = 4 * self.taps.len() * self.member.weights;
        let mut offsets = [0; TAPS];
        for x in (0..w.columns.output).step_by(block.part) {
            let count = block.part.min(w.columns.output - x);
            let layout = Layout::new(&w.columns, block.width, x, count);
            for (offset, &(column, g)) in offsets.iter_mut().zip(&self.taps) {
                *offset = layout.offset(&w.columns, column, g);
            }
            for g in 0..w.rows.taps.div_ceil(4) {
                // SAFETY: `part` was chosen so that the planes of all groups fit.
                unsafe { self.fill(block, &layout, (g, row), (image, job.outside), planes) };
            }
            let outputs = Outputs {
                planes,
                plane: layout.plane,
                offsets: offsets.as_ptr(),
                taps: self.taps.len(),
                weights: self.packed[job.block * vectors..].as_ptr(),
                results: job.results.from(4 * job.block, self.member.lanes),
                count,
                channels: block.channels,
                c: job
                    .output
                    .wrapping_add(((y * w.columns.output + x) * w.channels + block.first) * job.size),
                step: w.channels * job.size,
            };
            // SAFETY: the member was selected for this machine; planes are filled, and the results are this call's.
            unsafe { (block.width.convolve)(&outputs) };
        }
    }

    /// Makes the planes of group `g` of filter rows, for results of row `row`.
    ///
    /// # Safety
    /// `image` is the block's first channel of the image's first pixel; [`OUTSIDE`] bytes are readable; the planes have room.
    unsafe fn fill(
        &self,
        block: &Block,
        layout: &Layout,
        (g, row): (usize, usize),
        (image, outside): (*const u8, *const u8),
        planes: *mut u8,
    ) {
        let (w, width) = (&self.window, block.width);
        let line = w.columns.input * w.channels;
        // SAFETY: the caller's promise.
        let zero = unsafe { *outside } ^ self.member.offset;
        let lines: [Option<*const u8>; 4] = std::array::from_fn(|i| {
            let tap = Some(4 * g + i).filter(|&tap| tap < w.rows.taps)?;
            w.rows.at(row, tap).map(|y| image.wrapping_add(y * line))
        });
        for phase in layout.phases(&w.columns) {
            let to = planes.wrapping_add(g * 4 * layout.plane + phase * layout.positions * width.channels);
            let inside = layout.inside(&w.columns, phase);
            for q in 0..4 {
                let to = to.wrapping_add(q * layout.plane);
                let end = (layout.positions - inside.end) * width.channels;
                // SAFETY: inside the planes.
                unsafe {
                    to.write_bytes(zero, inside.start * width.channels);
                    to.wrapping_add(inside.end * width.channels).write_bytes(zero, end);
                }
            }
            if inside.is_empty() {
                continue;
            }
            let column = layout.column(&w.columns, phase, inside.start);
            let step = w.columns.stride * w.channels;
            let rows = Rows {
                from: lines.map(|l| l.map_or(outside, |l| l.wrapping_add(column * w.channels))),
                steps: lines.map(|l| if l.is_some() { step } else { 0 }),
                count: inside.len(),
                channels: block.channels,
                to: to.wrapping_add(inside.start * width.channels),
                plane: layout.plane,
            };
            // SAFETY: pixels are inside the image; planes have room. As few pixels as are not a vector go one by one.
            unsafe { self.interleave(width, &rows) };
        }
    }

    /// # Safety
    /// That of the kernel, for any number of pixels.
    unsafe fn interleave(&self, width: &'static Width, rows: &Rows) {
        if rows.count >= width.pixels {
            // SAFETY: the caller's promise.
            return unsafe { (width.interleave)(rows) };
        }
        for p in 0..rows.count {
            for i in 0..4 {
                let from = rows.from[i].wrapping_add(p * rows.steps[i]);
                for c in 0..rows.channels {
                    let lane =
                        (0..4 * self.member.lanes).map(|l| (l / self.member.lanes, l % self.member.lanes));
                    let place = lane.into_iter().find(|&(q, d)| interleaved(q, d) == c);
                    let Some((q, d)) = place else { continue };
                    let to = rows.to.wrapping_add(q * rows.plane + p * width.channels + 4 * d + i);
                    // SAFETY: the caller's promise.
                    unsafe { *to = *from.add(c) ^ self.member.offset };
                }
            }
        }
    }
}

/// A weight, 0 below the last row of the filter.
fn weight(weights: &[i16], window: &Window, row: usize, column: usize, channel: usize) -> i16 {
    let at = (row * window.columns.taps + column) * window.channels + channel;
    if row < window.rows.taps { weights[at] } else { 0 }
}

impl Block {
    /// Writes the weights of one dot product per lane, given as `weight(byte, channel)`.
    fn pack(&self, member: &DwConv, packed: &mut [u8], weight: impl Fn(usize, usize) -> i8) {
        for q in 0..4 {
            for d in 0..member.lanes {
                let Some(channel) = self.channel(q, d) else { continue };
                let four = std::array::from_fn(|i| weight(i, channel));
                place(&mut packed[q * member.weights..][..member.weights], member.lanes, d, four);
            }
        }
    }

    /// The channels in the order of lanes.
    fn order<T: Copy>(&self, member: &DwConv, none: T, of: impl Fn(usize) -> T) -> Vec<T> {
        let lanes = (0..4).flat_map(|q| (0..member.lanes).map(move |d| (q, d)));
        lanes.map(|(q, d)| self.channel(q, d).map_or(none, &of)).collect()
    }

    /// The channel of lane `d` of quad `q`, if there is one.
    fn channel(&self, q: usize, d: usize) -> Option<usize> {
        Some(interleaved(q, d) % self.width.channels).filter(|&c| c < self.channels).map(|c| self.first + c)
    }
}

/// Cuts the channels into blocks: wide ones as long as they are filled, then narrower ones.
fn blocks(member: &'static DwConv, window: &Window, groups: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut first = 0;
    while first < window.channels {
        let left = window.channels - first;
        let fits = |width: &&Width| part(&window.columns, width, groups) > 0;
        let fills = |width: &&Width| left + 15 >= width.channels;
        let mut widths = member.widths.iter().filter(fits);
        let narrowest = member.widths.len() - 1;
        let width = widths.find(fills).unwrap_or(&member.widths[narrowest]);
        let channels = left.min(width.channels);
        blocks.push(Block { width, first, channels, part: part(&window.columns, width, groups) });
        first += channels;
    }
    blocks
}

/// Results of a part of a row, so that all planes have room; parts are about equal.
fn part(columns: &Axis, width: &Width, groups: usize) -> usize {
    let room = PLANES / (4 * groups * columns.stride * width.channels);
    let most =
        room.saturating_sub(positions(columns, 0) + width.pixels) / (4 * width.pixels) * (4 * width.pixels);
    match most {
        0 => 0,
        _ => {
            let parts = columns.output.div_ceil(most);
            columns.output.div_ceil(parts).next_multiple_of(width.pixels)
        }
    }
}

/// How the planes of a part of a row lie: `[group][quad][phase][position][channel]`.
struct Layout {
    /// The column that the first result's first tap reads, which may lie in front of the image.
    first: isize,
    /// Pixels per phase.
    positions: usize,
    /// Bytes of the planes of all phases of a quad.
    plane: usize,
    channels: usize,
}

impl Layout {
    fn new(columns: &Axis, width: &Width, x: usize, count: usize) -> Layout {
        let positions = positions(columns, count.next_multiple_of(width.pixels));
        Layout {
            first: (x * columns.stride) as isize - columns.before as isize,
            positions,
            plane: columns.stride * positions * width.channels,
            channels: width.channels,
        }
    }

    /// Where the first result finds tap `column` of group `g`.
    fn offset(&self, columns: &Axis, column: usize, g: usize) -> usize {
        let at = column * columns.dilation;
        let pixel = at % columns.stride * self.positions + at / columns.stride;
        4 * g * self.plane + pixel * self.channels
    }

    /// The phases that a tap reads.
    fn phases<'a>(&self, columns: &'a Axis) -> impl Iterator<Item = usize> + use<'a> {
        (0..columns.stride)
            .filter(|&phase| (0..columns.taps).any(|tap| tap * columns.dilation % columns.stride == phase))
    }

    /// The positions of a phase whose columns are inside the image.
    fn inside(&self, columns: &Axis, phase: usize) -> Range<usize> {
        let first = self.first + phase as isize;
        let before = (-first).max(0) as usize;
        let start = before.div_ceil(columns.stride).min(self.positions);
        let room = (columns.input as isize - first).max(0) as usize;
        start..room.div_ceil(columns.stride).clamp(start, self.positions)
    }

    /// The column of a position inside the image.
    fn column(&self, columns: &Axis, phase: usize, position: usize) -> usize {
        (self.first + (phase + position * columns.stride) as isize) as usize
    }
}
