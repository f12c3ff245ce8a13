//! Where products of bytes find their rows: the pixels under a window, by pointers.
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
use crate::isa::Isa;
use crate::kernels::u8i8_gemm::{Gemm, Reach};
use crate::ops::Weights;
use crate::store::{Block, Store};
use crate::window::Window;

/// Most rows of a tile.
pub const ROWS: usize = MAX_POSITIONS;
/// Most pointers of a tile.
const POINTERS: usize = ROWS * MAX_TAPS;
/// Room for them.
pub type Room = [MaybeUninit<*const u8>; POINTERS];
/// Room with nothing in it.
#[inline(always)]
pub const fn room() -> Room {
    [const { MaybeUninit::uninit() }; POINTERS]
}
/// Bytes of packed weights that are used tile after tile: half of a second-level cache.
const BLOCK: usize = 1 << 20;

/// A window over images of bytes, with packed weights for it.
pub struct Patches {
    /// Of the products.
    pub gemm: &'static Gemm,
    /// Geometry; `channels` are those of the whole input.
    pub window: Window,
    pointers: Pointers,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels of a group.
    pub columns: usize,
    /// Number of tiles that the positions are cut into.
    pub tiles: usize,
    /// Blocks of panels: first column, columns.
    pub blocks: Vec<(usize, usize)>,
    taps: Taps,
    packed: Block<u8>,
}

/// How packed weights lie.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Taps {
    /// Tap by tap, rounded up to whole groups each.
    Single,
    /// All of a filter row, rounded up together.
    Merged,
}

impl Patches {
    /// Packs `weights`, `[filters][taps][channels / groups]`, that a cache knows by `name`.
    pub fn new(
        isa: Isa,
        store: &Store,
        window: Window,
        (filters, groups): (usize, usize),
        (name, weights): (&str, &Weights<'_>),
    ) -> Result<Patches> {
        let columns = filters / groups;
        let taps = Taps::choose(&window, groups);
        let (count, k) = taps.of(&window, groups);
        let gemm = Gemm::select_for(isa, count, k);
        let lines = window.rows.taps * window.columns.taps * (window.channels / groups);
        let group = gemm.packed_len(count, k, columns);
        let key = format!("{} {filters}/{groups} × {count} × {k} {name}", gemm.name);
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
        let tiles = gemm.parts(window.positions());
        let blocks = blocks(gemm, gemm.column_bytes(count, k), columns, tiles);
        let pointers = Pointers::new(window);
        Ok(Patches { gemm, window, pointers, groups, columns, tiles, blocks, taps, packed })
    }

    /// Bytes of the zero point that are read for a tap outside of the image.
    pub fn outside(&self) -> usize {
        (self.window.columns.taps * (self.window.channels / self.groups)).next_multiple_of(4)
    }

    /// The positions of tile `t`.
    pub fn tile(&self, t: usize) -> (usize, usize) {
        self.gemm.part(t, self.window.positions())
    }

    /// The panels of group `g` from column `from` on.
    pub fn panels(&self, g: usize, from: usize) -> *const u8 {
        let (count, k) = self.taps.of(&self.window, self.groups);
        let group = g * self.gemm.packed_len(count, k, self.columns);
        self.packed[group + from * self.gemm.column_bytes(count, k)..].as_ptr()
    }

    /// Tiles of blocks of groups: what can be computed apart.
    pub fn items(&self) -> usize {
        self.groups * self.blocks.len() * self.tiles
    }

    /// Group, block and tile of an item.
    pub fn item(&self, item: usize) -> [usize; 3] {
        let (block, t) = (item / self.tiles, item % self.tiles);
        [block / self.blocks.len(), block % self.blocks.len(), t]
    }

    /// Multiply-adds of bytes of an item.
    pub fn cost(&self) -> usize {
        let (count, k) = self.taps.of(&self.window, self.groups);
        self.window.positions() * self.columns * count * k / (self.blocks.len() * self.tiles).max(1)
    }

    /// What the step is called.
    pub fn name(&self) -> &'static str {
        if self.window.rows.input == 1 && self.window.is_point() { "FULLY_CONNECTED" } else { "CONV_2D" }
    }

    /// Finds the bytes under the windows of positions `first..end`.
    ///
    /// # Safety
    /// `input` is the tensor; `outside` are as many bytes of its zero point as [`outside`](Self::outside) tells.
    pub unsafe fn point(
        &self,
        pointers: &mut Room,
        (first, end): (usize, usize),
        g: usize,
        input: *const u8,
        outside: *const u8,
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
pub struct Found {
    /// Number of taps.
    pub taps: usize,
    /// Bytes per row and tap.
    pub k: usize,
    /// How far rows may be read.
    pub reach: Reach,
}

impl Found {
    /// The sum of all bytes of row `r`.
    ///
    /// # Safety
    /// The pointers are as `self` tells.
    pub unsafe fn sum(&self, pointers: *const *const u8, rows: usize, r: usize) -> i32 {
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
