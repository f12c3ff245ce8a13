//! Copies pixels for depthwise convolutions of bytes into planes, one part of a row and one block of channels at a
//! time.
//!
//! ```text
//! taps, rows by fours:  ┌ group 0: rows 0‥3 ┐ planes of group 0 ─┐
//!                       └ group 1: rows 4‥7 ┘ planes of group 1 ─┴─► results
//! ```
//! With a stride of s every s-th column of the image goes to the same planes, so neighbouring results read neighbouring
//! columns with one tap. Outside the image, planes contain the zero point. The kernels' offset is subtracted from all
//! bytes.

mod blocks;
mod pixels;

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_layers::Window;

use super::terms::{term, terms};
use super::together::repeat_each;
use crate::kernels::u8i8_dwconv::{DwConv, Outputs, PixelRows, Results, Width};
use crate::memory::{Disjoint, Source, Target};
use crate::step::{Grain, Run};
use crate::store::{self, Store};
use blocks::{Block, PLANES, Part, blocks, positions};
pub(crate) use pixels::Pixels;

/// Most dot products per channel.
const MOST_TAPS: usize = 256;
/// Multiply-adds of `f32` in the time of one result.
const COST: usize = 16;
/// Bytes of the zero point that are read outside of an image: most bytes of a vector.
pub(crate) const OUTSIDE: usize = 64;

/// Room for the planes of a part of a row.
#[repr(align(64))]
pub(crate) struct Room {
    planes: [MaybeUninit<u8>; PLANES],
    /// The part of a row whose planes have a border.
    bordered: Option<Border>,
}

/// Bytes outside of the image, which stay in the planes from one row to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Border {
    block: usize,
    /// The first result of the part.
    first: usize,
    /// All of its bytes.
    zero: u8,
}

impl Room {
    /// Without planes.
    fn new() -> Room {
        Room { planes: [const { MaybeUninit::uninit() }; PLANES], bordered: None }
    }
}

/// A window over images of bytes, with packed weights of each channel.
pub(crate) struct Planes {
    member: &'static DwConv,
    /// The input's window, with the input's channels repeated `multiplier` times.
    pub window: Window,
    multiplier: usize,
    blocks: Vec<Block>,
    packed: store::Block<u8>,
    /// Column and group of each dot product.
    taps: Vec<(usize, usize)>,
}

/// A row of results for a block of channels.
#[derive(Clone, Copy)]
pub(crate) struct Job<'r> {
    /// Number of the block.
    pub block: usize,
    /// Row of the output, counted through all images.
    pub row: usize,
    /// The input, with repeated channels.
    pub input: Source<'r, u8>,
    /// [`OUTSIDE`] bytes of the zero point.
    pub outside: Source<'r, u8>,
    /// The results, from the first block on.
    pub results: Results,
    /// The output.
    pub output: Disjoint<'r, u8>,
    /// Bytes of a result.
    pub size: usize,
}

/// Whether the kernels support the window, with weights that are sums of `terms` bytes.
pub(crate) fn takes(window: &Window, terms: usize) -> bool {
    let groups = window.rows.taps.div_ceil(4);
    let dots = terms * groups * window.columns.taps;
    dots <= MOST_TAPS && positions(&window.columns, 64) * window.columns.stride * groups * 4 * 16 <= PLANES
}

impl Planes {
    /// Packs `weights`, `[rows][columns][channels · multiplier]`, centered, from −255 to 255. `name` is for the cache.
    pub(crate) fn new(
        member: &'static DwConv,
        store: &Store,
        window: &Window,
        multiplier: usize,
        (name, weights): (&str, &[i16]),
    ) -> Result<Self> {
        let window = Window { channels: window.channels * multiplier, ..*window };
        let (groups, columns) = (window.rows.taps.div_ceil(4), window.columns.taps);
        // Weights beyond a byte are sums, whose terms come as taps of their own.
        let terms = weights.iter().fold(1, |most, &w| most.max(terms(w)));
        let once = (0..groups).flat_map(|g| (0..columns).map(move |column| (column, g)));
        let taps: Vec<_> = (0..terms).flat_map(|_| once.clone()).collect();
        let blocks = blocks(member, &window, &taps, groups);
        let vectors = 4 * taps.len() * member.weights;
        let widths = Vec::from_iter(blocks.iter().map(|block| block.width.channels));
        let key = format!("{} {} {columns} {taps:?} {widths:?} {name}", member.name, window.rows.taps);
        let packed = store.block(&key, blocks.len() * vectors, |packed: &mut [u8]| {
            for (block, packed) in blocks.iter().zip(packed.chunks_exact_mut(vectors)) {
                for (tap, packed) in packed.chunks_exact_mut(4 * member.weights).enumerate() {
                    block.pack(member, packed, |i, channel| {
                        let w = weight(weights, &window, 4 * taps[tap].1 + i, taps[tap].0, channel);
                        term(w, tap / (groups * columns))
                    });
                }
            }
        })?;
        Ok(Planes { member, window, multiplier, blocks, packed, taps })
    }

    /// A value of each channel in the order of lanes; `none` for lanes without a channel.
    pub(crate) fn order<T: Copy>(&self, none: T, of: impl Fn(usize) -> T) -> Vec<T> {
        self.blocks.iter().flat_map(|block| block.order(self.member, none, &of)).collect()
    }

    /// Each byte of the image is XORed with this value when it is stored in a plane.
    pub(crate) fn offset(&self) -> u8 {
        self.member.offset
    }

    /// Sums in a vector.
    pub(crate) fn lanes(&self) -> usize {
        self.member.lanes
    }

    /// The first channel of a block, and how many there are.
    pub(crate) fn channels(&self, block: usize) -> (usize, usize) {
        (self.blocks[block].first, self.blocks[block].channels)
    }

    /// Bytes of the input with repeated channels; 0 if they are not.
    pub(crate) fn repeated(&self) -> usize {
        if self.multiplier > 1 { self.window.batches * self.window.image() } else { 0 }
    }

    /// Repeats the channels of `from` in `to`, if they are repeated; gives the input.
    pub(crate) fn repeat<'r>(
        &self,
        cx: &Run<'_>,
        from: Source<'r, u8>,
        to: Target<'r, u8>,
    ) -> Result<Source<'r, u8>> {
        let times = self.multiplier;
        if times == 1 {
            return Ok(from);
        }
        let (mut to, _) = to.take::<u8>(self.repeated());
        cx.parallel_parts(to.part(0, self.repeated()), times, Grain::of_cost(times), |bytes, mut y| {
            repeat_each(from.part(bytes.start, bytes.len()), times, &mut y);
        })?;
        Ok(to.into_source())
    }

    /// Calls `f(block, row, room)` for all rows of all images and all blocks of channels.
    pub(crate) fn for_each(&self, cx: &Run<'_>, f: impl Fn(usize, usize, &mut Room) + Sync) -> Result<()> {
        let w = &self.window;
        let rows = w.batches * w.rows.output;
        let cost = w.columns.output * w.channels * COST / self.blocks.len();
        cx.parallel_for(rows * self.blocks.len(), Grain::of_cost(cost), |range| {
            let mut room = Room::new();
            let (mut block, mut row) = (range.start / rows, range.start % rows);
            for _ in range {
                f(block, row, &mut room);
                row += 1;
                if row == rows {
                    (block, row) = (block + 1, 0);
                }
            }
        })
    }

    /// Calls `f(block, row, room)` for these rows and all blocks of channels.
    pub(crate) fn for_rows(&self, rows: std::ops::Range<usize>, mut f: impl FnMut(usize, usize, &mut Room)) {
        let mut room = Room::new();
        for block in 0..self.blocks.len() {
            rows.clone().for_each(|row| f(block, row, &mut room));
        }
    }

    /// Computes a row of results in `room`, which must be one that these planes passed to the caller.
    ///
    /// # Safety
    /// No other thread may access these results in the output. `job.results` must have channels for all blocks and
    /// elements of `job.size` bytes.
    pub(crate) unsafe fn row(&self, job: &Job<'_>, room: &mut Room) {
        let (w, block, y) = (&self.window, &self.blocks[job.block], job.row);
        let (image, row) = (y / w.rows.output, y % w.rows.output);
        let planes = room.planes.as_mut_ptr().cast::<u8>();
        let vectors = 4 * self.taps.len() * self.member.weights;
        let zero = job.outside.get(0) ^ self.member.offset;
        for part in &block.parts {
            let border = Border { block: job.block, first: part.first, zero };
            let is_bordered = room.bordered.replace(border) == Some(border);
            for g in 0..w.rows.taps.div_ceil(4) {
                // SAFETY: `part` limited the number of results so that the planes of all groups fit the room.
                unsafe {
                    if !is_bordered {
                        Self::surround(part, g, zero, planes);
                    }
                    self.fill((block, part), g, image, row, job, planes);
                }
            }
            let first = (y * w.columns.output + part.first) * w.channels + block.first;
            let step = w.channels * job.size;
            let outputs = Outputs {
                planes,
                plane: part.plane,
                offsets: part.offsets.as_ptr(),
                taps: self.taps.len(),
                weights: self.packed[job.block * vectors..][..vectors].as_ptr(),
                results: job.results.from(4 * job.block, self.member.lanes),
                count: part.count,
                channels: block.channels,
                c: job.output.tile(first * job.size, [part.count, step, block.channels * job.size]),
                step,
            };
            // SAFETY: selected for this machine; `fill` filled all planes; the caller guarantees the output.
            unsafe { (block.width.convolve)(&outputs) };
        }
    }

    /// Fills the planes of filter rows `4 · g‥` inside of their border, for row `row` of the results of image `image`.
    ///
    /// # Safety
    /// The planes have room.
    unsafe fn fill(
        &self,
        (block, part): (&Block, &Part),
        g: usize,
        image: usize,
        row: usize,
        &Job { input, outside, .. }: &Job<'_>,
        planes: *mut u8,
    ) {
        let (w, width) = (&self.window, block.width);
        let line = w.columns.input * w.channels;
        let outside = outside.at(0, OUTSIDE);
        let mut lines = [None; 4];
        for (i, l) in lines.iter_mut().enumerate().take(w.rows.taps - 4 * g) {
            let at = |y| input.at(image * w.image() + y * line, line).wrapping_add(block.first);
            *l = w.rows.at(row, 4 * g + i).map(at);
        }
        let step = w.columns.stride * w.channels;
        for phase in part.phases.iter().filter(|phase| phase.pixels > 0) {
            let to = planes.wrapping_add(g * 4 * part.plane + phase.at);
            let mut rows = PixelRows {
                from: [outside; 4],
                steps: [0; 4],
                count: phase.pixels,
                channels: block.channels,
                to: to.wrapping_add(phase.start),
                plane: part.plane,
            };
            for (i, l) in lines.iter().enumerate().filter_map(|(i, l)| l.map(|l: *const u8| (i, l))) {
                (rows.from[i], rows.steps[i]) = (l.wrapping_add(phase.from), step);
            }
            // SAFETY: pixels are in a row of the input, or in [`OUTSIDE`] with step 0; the planes have room for them.
            unsafe { self.interleave(width, &rows) };
        }
    }

    /// Writes the border of the planes of filter rows `4 · g‥`.
    ///
    /// # Safety
    /// The planes have room.
    unsafe fn surround(part: &Part, g: usize, zero: u8, planes: *mut u8) {
        for phase in &part.phases {
            for q in 0..4 {
                let to = planes.wrapping_add((4 * g + q) * part.plane + phase.at);
                // SAFETY: the planes of a quad and a phase, inside of which its pixels begin and end.
                unsafe {
                    to.write_bytes(zero, phase.start);
                    to.wrapping_add(phase.end).write_bytes(zero, phase.len - phase.end);
                }
            }
        }
    }

    /// # Safety
    /// See the kernel; here for any number of pixels.
    unsafe fn interleave(&self, width: &'static Width, rows: &PixelRows) {
        if rows.count >= width.pixels {
            // SAFETY: a vector of pixels at least, as the kernel wants; pixels and planes are as it does.
            return unsafe { (width.interleave)(rows) };
        }
        // The kernel reads one pixel as often as a vector holds pixels; the first of its places has the bytes.
        let (vector, mut room) = (4 * self.member.lanes, [MaybeUninit::<u8>::uninit(); 4 * OUTSIDE]);
        let to: *mut u8 = room.as_mut_ptr().cast();
        for p in 0..rows.count {
            let from = std::array::from_fn(|i| rows.from[i].wrapping_add(p * rows.steps[i]));
            let one = PixelRows { from, steps: [0; 4], count: width.pixels, to, plane: vector, ..*rows };
            let place = |q| rows.to.wrapping_add(q * rows.plane + p * width.channels);
            // SAFETY: pixel `p` is readable; the kernel writes four vectors of at most [`OUTSIDE`] bytes, of which the
            // first `width.channels` fit the place of the pixel in each plane, as the caller guarantees.
            unsafe {
                (width.interleave)(&one);
                (0..4).for_each(|q| to.add(q * vector).copy_to_nonoverlapping(place(q), width.channels));
            }
        }
    }
}

/// A weight, 0 below the last row of the filter.
fn weight(weights: &[i16], window: &Window, row: usize, column: usize, channel: usize) -> i16 {
    let at = (row * window.columns.taps + column) * window.channels + channel;
    if row < window.rows.taps { weights[at] } else { 0 }
}
