//! Convolution of bytes by products of rows: the pixels under a window are rows of a, found by pointers.
//!
//! ```text
//! channels come in fours:             weights tap by tap; outside the image a pointer goes to bytes of the zero point
//!   inner tile:   one pointer per filter row, k = columns × channels
//!   edge tile:    one pointer per tap, k = channels
//! else, and windows stay inside:      weights per filter row
//!   all tiles:    one pointer per filter row, k = columns × channels
//! else:                               weights tap by tap, all tiles as at an edge
//! ```

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;

use super::conv_f32::MAX_TAPS;
use super::pointers::{MAX_POSITIONS, Pointers};
use crate::kernels::u8i8_gemm::{Gemm, Product, Reach};
use crate::memory::{Aligned, Shared};
use crate::net::Id;
use crate::ops::Weights;
use crate::program::{Run, Step};
use crate::requantize::{Bytes, Channel, Channels};
use crate::store::{Block, Store};
use crate::window::Window;

/// Most rows of a tile.
const ROWS: usize = MAX_POSITIONS;
/// Most pointers of a tile.
const POINTERS: usize = ROWS * MAX_TAPS;
/// Room for them.
type Room = [MaybeUninit<*const u8>; POINTERS];
/// Bytes of packed weights that are used tile after tile: half of a second-level cache.
const BLOCK: usize = 1 << 20;
/// Multiply-adds of bytes in the time of one of `f32`.
const SPEED: usize = 4;

/// A convolution with packed weights.
pub struct ConvU8 {
    gemm: &'static Gemm,
    window: Window,
    pointers: Pointers,
    groups: usize,
    /// Output channels of a group.
    columns: usize,
    taps: Taps,
    packed: Block<u8>,
    /// One per group.
    channels: Vec<Channels>,
    /// Bytes of the zero point.
    zeros: Aligned<u8>,
    /// What the sum of a row is multiplied with; mostly 0.
    row_factor: i32,
    input: Id,
    output: Id,
    tiles: usize,
    /// Blocks of panels: first column, columns.
    blocks: Vec<(usize, usize)>,
}

/// How packed weights lie.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Taps {
    /// Tap by tap, rounded up to whole groups each.
    Single,
    /// All of a filter row, rounded up together.
    Merged,
}

/// What a [`ConvU8`] is made of.
pub struct Parts<'a> {
    /// Geometry; `channels` are those of the whole input.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels, of all groups.
    pub filters: usize,
    /// Names the weights in a cache.
    pub name: &'a str,
    /// `[filters][taps][channels / groups]`.
    pub weights: &'a Weights<'a>,
    /// One per filter.
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

impl ConvU8 {
    /// Packs the weights.
    pub fn new(gemm: &'static Gemm, store: &Store, parts: Parts<'_>) -> Result<Self> {
        let Parts { window, groups, filters, weights, .. } = parts;
        let columns = filters / groups;
        let depth = window.channels / groups;
        let (height, width) = (window.rows.taps, window.columns.taps);
        let taps = Taps::choose(&window, groups);
        let (count, k) = taps.of(&window, groups);
        let gemm = Gemm::select_for(gemm.isa, count, k);
        let lines = height * width * depth;
        let group = gemm.packed_len(count, k, columns);
        let key = format!("{} {filters}/{groups} × {count} × {k} {}", gemm.name, parts.name);
        let packed = store.block(&key, group * groups, |packed: &mut [u8]| {
            for (g, packed) in packed.chunks_exact_mut(group).enumerate() {
                let first = g * columns;
                match weights.bytes() {
                    Some((bytes, flip)) => {
                        gemm.pack_rows((count, k), columns, packed, (&bytes[first * lines..], flip));
                    }
                    None => gemm.pack((count, k), columns, packed, |j, tap, i| {
                        weights.at((first + j) * lines + tap * k + i)
                    }),
                }
            }
        })?;
        let mut zeros = Aligned::zeros((width * depth).next_multiple_of(4));
        zeros.fill(parts.zero_point);
        let tiles = gemm.parts(window.positions());
        let of_group = |channels| Channels::new(gemm.lanes, channels, parts.bytes);
        Ok(ConvU8 {
            gemm,
            window,
            pointers: Pointers::new(window),
            groups,
            columns,
            taps,
            packed,
            channels: parts.channels.chunks(columns).map(of_group).collect(),
            zeros,
            row_factor: -weights.zero_point,
            input: parts.input,
            output: parts.output,
            tiles,
            blocks: blocks(gemm, gemm.column_bytes(count, k), columns, tiles),
        })
    }

    /// Computes tile `t` of a block of columns of group `g`.
    ///
    /// # Safety
    /// `input` and `output` are the tensors; nobody else writes these results.
    unsafe fn tile(&self, [g, block, t]: [usize; 3], pointers: &mut Room, input: *const u8, output: *mut u8) {
        let positions = self.window.positions();
        let (first, end) = self.gemm.part(t, positions);
        let rows = end - first;
        // SAFETY: the caller's promise.
        let found = unsafe { self.point(pointers, (first, end), g, input) };
        let pointers: *const *const u8 = pointers.as_ptr().cast();
        let mut terms = [0; ROWS];
        if self.row_factor != 0 {
            for (r, term) in terms[..rows].iter_mut().enumerate() {
                // SAFETY: `taps` pointers of each row are readable for `k` bytes.
                *term = self.row_factor.wrapping_mul(unsafe { found.sum(pointers, rows, r) });
            }
        }
        let (count, k) = self.taps.of(&self.window, self.groups);
        let (from, width) = self.blocks[block];
        let panel =
            g * self.gemm.packed_len(count, k, self.columns) + from * self.gemm.column_bytes(count, k);
        let stride = self.columns * self.groups;
        let channels = &self.channels[g];
        let product = Product {
            a: pointers,
            rows,
            taps: found.taps,
            k: found.k,
            reach: found.reach,
            weights: self.packed[panel..].as_ptr(),
            channels: channels.block(from),
            is_general: channels.is_general,
            bytes: channels.bytes,
            row_terms: if self.row_factor == 0 { std::ptr::null() } else { terms.as_ptr() },
            c: output.wrapping_add(first * stride + g * self.columns + from),
            stride,
            columns: width,
        };
        // SAFETY: the member was selected for this machine, and a session has begun; pointers are as `found` tells, the panels have the
        // groups of all taps, and the rows are those of the output.
        unsafe { self.gemm.multiply(&product) };
    }

    /// Finds the bytes under the windows of positions `first..end`.
    ///
    /// # Safety
    /// `input` is the tensor.
    unsafe fn point(
        &self,
        pointers: &mut Room,
        (first, end): (usize, usize),
        g: usize,
        input: *const u8,
    ) -> Found {
        let w = &self.window;
        let (channels, depth) = (w.channels, w.channels / self.groups);
        let len = w.batches * w.image();
        if w.is_point() {
            let mut most = 0;
            for (p, i) in pointers.iter_mut().zip(first..end) {
                p.write(input.wrapping_add(i * channels + g * depth));
                most = i * channels + g * depth;
            }
            return Found { taps: 1, k: depth, reach: Reach::of(depth, len - most) };
        }
        let inner = self.is_inner(first, end);
        let merged = inner && (self.taps == Taps::Merged || depth.is_multiple_of(4));
        let per_row = if merged { 1 } else { w.columns.taps };
        let outside = self.zeros.as_ptr();
        let most = g * depth
            + self.pointers.fill(pointers, (first, end), per_row, input.wrapping_add(g * depth), outside);
        let k = if merged { w.columns.taps * depth } else { depth };
        // Zero points are there up to the next multiple of four.
        Found { taps: w.rows.taps * per_row, k, reach: Reach::of(k, len - most).min(Reach::Groups) }
    }

    /// Whether the taps of each filter row lie side by side inside the image, or outside together, at these positions.
    fn is_inner(&self, first: usize, end: usize) -> bool {
        let columns = &self.window.columns;
        let (a, b) = (first % columns.output, (end - 1) % columns.output);
        let same_row = first / columns.output == (end - 1) / columns.output;
        let (a, b) = if same_row { (a, b) } else { (0, columns.output - 1) };
        columns.dilation == 1 && self.groups == 1 && columns.is_inside(a, b)
    }
}

/// Where the rows of a tile are: `[taps][rows]` pointers to `k` bytes.
struct Found {
    taps: usize,
    k: usize,
    reach: Reach,
}

impl Found {
    /// The sum of all bytes of row `r`.
    ///
    /// # Safety
    /// The pointers are as `self` tells.
    unsafe fn sum(&self, pointers: *const *const u8, rows: usize, r: usize) -> i32 {
        (0..self.taps).fold(0, |sum: i32, tap| {
            // SAFETY: the caller's promise.
            let row = unsafe { std::slice::from_raw_parts(*pointers.add(tap * rows + r), self.k) };
            sum.wrapping_add(row.iter().map(|&a| i32::from(a)).sum())
        })
    }
}

impl Taps {
    fn choose(window: &Window, groups: usize) -> Taps {
        let columns = &window.columns;
        let merges = groups == 1 && columns.dilation == 1 && columns.taps > 1;
        if merges && !window.channels.is_multiple_of(4) && columns.is_inside(0, columns.output - 1) {
            return Taps::Merged;
        }
        Taps::Single
    }

    /// Number of taps of the packed weights, and lines of each.
    fn of(self, window: &Window, groups: usize) -> (usize, usize) {
        let depth = window.channels / groups;
        match self {
            Taps::Single => (window.rows.taps * window.columns.taps, depth),
            Taps::Merged => (window.rows.taps, window.columns.taps * depth),
        }
    }
}

/// Cuts the columns into blocks of whole panels: small enough for the cache, and enough of them for several threads where there
/// are few tiles.
fn blocks(gemm: &Gemm, column_bytes: usize, columns: usize, tiles: usize) -> Vec<(usize, usize)> {
    let panels = columns.div_ceil(gemm.nr());
    let for_cache = (BLOCK / (gemm.nr() * column_bytes).max(1)).max(1);
    let for_threads = if tiles >= 16 { panels } else { panels.div_ceil(16usize.div_ceil(tiles.max(1))) };
    let step = for_cache.min(for_threads).max(1) * gemm.nr();
    (0..columns).step_by(step).map(|from| (from, step.min(columns - from))).collect()
}

impl Step for ConvU8 {
    fn name(&self) -> &'static str {
        if self.window.rows.input == 1 && self.window.is_point() { "FULLY_CONNECTED" } else { "CONV_2D" }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = Shared::new(cx.place::<u8>(self.input));
        let output = Shared::new(cx.place::<u8>(self.output));
        let items = self.groups * self.blocks.len() * self.tiles;
        let (count, k) = self.taps.of(&self.window, self.groups);
        let all = self.window.positions() * self.columns * count * k;
        let cost = all / (self.blocks.len() * self.tiles).max(1) / SPEED;
        cx.parallel_for(items, super::grain(cost), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { self.gemm.begin() };
            let mut pointers = [const { MaybeUninit::uninit() }; POINTERS];
            for item in range {
                let (block, t) = (item / self.tiles, item % self.tiles);
                let (g, block) = (block / self.blocks.len(), block % self.blocks.len());
                // SAFETY: the host's tensors have the shapes that the step was built for; each item has results of its own.
                unsafe { self.tile([g, block, t], &mut pointers, input.get(), output.get()) };
            }
        })
    }
}
