//! The rows of products of bytes: pointers to the pixels under a window.
//!
//! ```text
//! channels come in fours:             weights tap by tap; outside the image a pointer goes to bytes of the zero point
//!   inner tile:   one pointer per filter row, k = columns × channels
//!   edge tile:    one pointer per tap, k = channels
//! else, and windows stay inside:      weights per filter row
//!   all tiles:    one pointer per filter row, k = columns × channels
//! else:                               weights tap by tap, all tiles as at an edge
//! ```

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::Window;

use super::located::{LayerSizes, Located, TapRows};
use super::panels::{self, BandItem, Bands, ColumnPanels, MOST_ITEMS};
use super::pointers::{self, MAX_POSITIONS, PixelSource, Pointers, Room};
use super::taps::Taps;
use crate::isa::Isa;
use crate::kernels::u8i8_gemm::{Cached, Extent, Gemm, Product, ProductSizes, Results};
use crate::memory::{Disjoint, Source};
use crate::reach::weights_u8::Weights;
use crate::step::Grain;
use crate::store::{Block, Store};

/// Most rows of a tile.
pub(crate) const ROWS: usize = MAX_POSITIONS;
/// Multiply-adds of bytes in the time of one of `f32`.
pub(crate) const SPEED: usize = 4;
/// Multiply-adds of `f32` in the time of one result.
pub(crate) const RESULT: usize = 8;
/// Positions of a tile that are enough to hide the loads of weights.
const ENOUGH: usize = 8;
/// Bytes of packed weights that are used tile after tile: half of a second-level cache.
const BLOCK: usize = 1 << 20;

/// A window over images of bytes, with packed weights for it.
pub(crate) struct Patches {
    /// Of the products.
    pub gemm: &'static Gemm,
    /// The window. Its `channels` are the channels of the whole input.
    pub window: Window,
    /// Where pixels are.
    pub pointers: Pointers,
    /// Of tiles that do not go beyond a row of the output: positions of a row, and tiles.
    line: Option<(usize, usize)>,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels of a group.
    pub columns: usize,
    /// Number of tiles that the positions are cut into.
    pub tiles: usize,
    grain: Grain,
    /// Blocks of panels: first column, columns.
    blocks: Vec<(usize, usize)>,
    /// Whether taps of one filter row are multiplied as one tap, where they are contiguous inside the image.
    merges: bool,
    /// Bytes of packed weights per column, and per group.
    column_bytes: usize,
    group_bytes: usize,
    packed: Block<u8>,
    /// The rows of each tile, if they are few.
    pub located: Option<Located>,
}

/// Some positions by some columns of a group.
#[derive(Clone, Copy)]
pub(crate) struct Item {
    /// The group.
    pub g: usize,
    /// First column.
    pub from: usize,
    /// Number of columns.
    pub columns: usize,
    /// First position.
    pub first: usize,
    /// The position behind the last one.
    pub end: usize,
    /// Its tile, if it is one of [`Patches::tiles`].
    pub tile: Option<usize>,
    /// Elements by which the results are behind their places in a tensor without borders.
    pub shift: usize,
}

/// How many filters a convolution has, and in how many groups.
#[derive(Clone, Copy)]
pub(crate) struct FilterSizes {
    /// Of all groups.
    pub filters: usize,
    /// Groups of channels.
    pub groups: usize,
}

impl Patches {
    /// Packs `weights`, `[filters][taps][channels / groups]`, that a cache knows by `name`.
    pub(crate) fn new(
        isa: Isa,
        store: &Store,
        window: Window,
        FilterSizes { filters, groups }: FilterSizes,
        (name, weights): (&str, &Weights<'_>),
    ) -> Result<Patches> {
        let (columns, taps) = (filters / groups, Taps::choose(&window, groups));
        let (count, k) = taps.of(&window, groups);
        let gemm = Gemm::select_for(isa, ProductSizes { rows: window.positions(), taps: count, k, columns });
        let lines = window.rows.taps * window.columns.taps * (window.channels / groups);
        let group = gemm.packed_len(count, k, columns);
        let key = format!("{} {filters}/{groups} × {count} × {k} {name}", gemm.name);
        let packed = store.block(&key, group * groups, |packed: &mut [u8]| {
            for (g, packed) in packed.chunks_exact_mut(group).enumerate() {
                let first = g * columns;
                match weights.bytes() {
                    Some((bytes, flip)) => {
                        gemm.pack_rows(count, k, columns, packed, (&bytes[first * lines..], flip));
                    }
                    None => gemm.pack(count, k, columns, packed, |j, tap, i| {
                        weights.at((first + j) * lines + tap * k + i)
                    }),
                }
            }
        })?;
        let merges = taps.may_merge(&window, groups);
        let pointers = Pointers::new(window, merges)?;
        let line = line(gemm, &window).filter(|_| merges && pointers.are_all_inside());
        let tiles = match line {
            Some((width, parts)) => window.positions() / width * parts,
            None => gemm.parts(window.positions()),
        };
        let column_bytes = gemm.column_bytes(count, k);
        let cost = window.positions() * columns * (count * k / SPEED + RESULT);
        let (panels, least) = (ColumnPanels { nr: gemm.nr(), column_bytes }, least_blocks(cost, tiles));
        let blocks = panels::blocks(panels, BLOCK, columns, least);
        Ok(Patches {
            gemm,
            window,
            pointers,
            line,
            groups,
            columns,
            tiles,
            grain: Grain::of_cost(cost / (blocks.len() * tiles).max(1)),
            blocks,
            merges,
            column_bytes,
            group_bytes: group,
            packed,
            located: None,
        }
        .with_located())
    }

    /// Locates the rows of all tiles, if they are few and there is one group.
    fn with_located(mut self) -> Patches {
        let w = &self.window;
        let sizes = LayerSizes {
            tiles: self.tiles,
            pointers: w.positions().saturating_mul(w.rows.taps * w.columns.taps),
            input: w.batches * w.image(),
            outside: self.outside(),
        };
        if self.groups == 1 {
            self.located = Located::new(&self.pointers, sizes, |tile, room, (input, outside)| {
                let positions = self.positions(tile);
                let Range { start: first, end } = positions;
                let item = Item { g: 0, from: 0, columns: 0, first, end, tile: None, shift: 0 };
                (positions, self.find(room, &item, input, outside))
            });
        }
        self
    }

    /// Bytes of the zero point that are read for a tap outside of the image.
    pub(crate) fn outside(&self) -> usize {
        (self.window.columns.taps * (self.window.channels / self.groups)).next_multiple_of(4)
    }

    /// The number of items: tiles times blocks times groups. They can be computed independently.
    pub(crate) fn items(&self) -> usize {
        self.groups * self.blocks.len() * self.tiles
    }

    /// Calls `f` with group, block and positions of each of these items, in an order for this many threads.
    #[inline(always)]
    pub(crate) fn for_each(&self, items: Range<usize>, threads: usize, mut f: impl FnMut(Item)) {
        let bands = Bands::new(self.tiles, self.groups * self.blocks.len(), threads);
        let mut at = bands.item(items.start);
        for _ in items {
            let BandItem { block, tile, .. } = at;
            let (g, b) = if self.groups == 1 { (0, block) } else { panels::split(block, self.blocks.len()) };
            let (from, columns) = self.blocks[b];
            let Range { start: first, end } = match &self.located {
                Some(located) => located.positions(tile),
                None => self.positions(tile),
            };
            f(Item { g, from, columns, first, end, tile: Some(tile), shift: 0 });
            at = bands.after(&at);
        }
    }

    /// The positions of a tile.
    pub(crate) fn positions(&self, tile: usize) -> Range<usize> {
        self.end(tile)..self.end(tile + 1)
    }

    /// Calls `f` with the tiles that make up rows `rows` of the output, counted through all images.
    #[inline(always)]
    pub(crate) fn for_rows(&self, rows: Range<usize>, mut f: impl FnMut(Item)) {
        let width = self.window.columns.output;
        let (start, count) = (rows.start * width, rows.len() * width);
        let tiles = self.line.map_or(self.gemm.parts(count), |(_, parts)| rows.len() * parts);
        let before = |t: usize| match self.line {
            Some((_, parts)) => self.end(rows.start * parts + t),
            None => start + self.gemm.rows_before(t, tiles, count),
        };
        for g in 0..self.groups {
            for &(from, columns) in &self.blocks {
                let item =
                    |t| Item { g, from, columns, first: before(t), end: before(t + 1), tile: None, shift: 0 };
                (0..tiles).for_each(|t| f(item(t)));
            }
        }
    }

    /// The position behind the first `t` tiles.
    fn end(&self, t: usize) -> usize {
        match self.line {
            Some((width, parts)) => t / parts * width + t % parts * width / parts,
            None => self.gemm.rows_before(t, self.tiles, self.window.positions()),
        }
    }

    /// Whether each tile is in one row of the output.
    pub(crate) fn is_by_lines(isa: Isa, window: &Window, sizes: FilterSizes) -> bool {
        let taps = Taps::choose(window, sizes.groups);
        let (count, k) = taps.of(window, sizes.groups);
        let columns = sizes.filters / sizes.groups;
        let gemm = Gemm::select_for(isa, ProductSizes { rows: window.positions(), taps: count, k, columns });
        let merges = taps.may_merge(window, sizes.groups);
        merges
            && line(gemm, window).is_some()
            && Pointers::new(*window, merges).is_ok_and(|pointers| pointers.are_all_inside())
    }

    /// How many items are worth a thread's while.
    pub(crate) fn grain(&self) -> Grain {
        self.grain
    }

    /// The name that profiles show.
    pub(crate) fn name(&self) -> &'static str {
        if self.window.rows.input == 1 && self.window.is_point() { "FULLY_CONNECTED" } else { "CONV_2D" }
    }

    /// Finds the bytes under the windows of an item's positions and checks that they are in the input. `outside` must
    /// have [`outside`](Self::outside) bytes of the zero point.
    #[inline(always)] // The result stays in registers.
    pub(crate) fn point(
        &self,
        pointers: &mut Room<u8>,
        item: &Item,
        input: Source<'_, u8>,
        outside: Source<'_, u8>,
    ) -> TapRows {
        if let (Some(located), Some(tile)) = (&self.located, item.tile) {
            let outside = if self.pointers.is_point { outside.base() } else { outside.at(0, self.outside()) };
            return located.point(pointers, tile, input, outside);
        }
        self.find(pointers, item, input, outside)
    }

    /// [`point`](Self::point) of an item whose rows are not located.
    #[inline(always)]
    fn find(
        &self,
        pointers: &mut Room<u8>,
        item: &Item,
        input: Source<'_, u8>,
        outside: Source<'_, u8>,
    ) -> TapRows {
        let &Item { g, first, end, .. } = item;
        let (w, depth) = (&self.window, self.window.channels / self.groups);
        if self.pointers.is_point {
            return self.find_pixels(pointers, item, input);
        }
        let outside = outside.at(0, self.outside());
        let (runs, seen) =
            (self.pointers.runs(first..end), |len| PixelSource { input, from: g * depth, len });
        let (taps, k, step, most) = if self.merges && self.pointers.are_inside(&runs) {
            let (taps, k) = (w.rows.taps, w.columns.taps * depth);
            match self.pointers.strip(runs.clone(), seen(k)).filter(|_| self.gemm.takes_strips()) {
                Some(strip) => {
                    for (pointer, tap) in pointers.iter_mut().zip(0..taps) {
                        pointer.write(strip.first.wrapping_add(tap * strip.down));
                    }
                    (taps, k, strip.step, strip.most)
                }
                None => (taps, k, 0, self.pointers.fill_rows(pointers, runs, seen(k), outside)),
            }
        } else {
            let most = self.pointers.fill_taps(pointers, runs, seen(depth), outside);
            (w.rows.taps * w.columns.taps, depth, 0, most)
        };
        // `outside` is padded to a multiple of four bytes.
        TapRows {
            taps,
            k,
            step,
            reach: Extent::of(k, w.batches * w.image() - most - g * depth).min(Extent::Groups),
        }
    }

    /// [`find`](Self::find) where windows are one pixel.
    #[inline(always)]
    fn find_pixels(
        &self,
        pointers: &mut Room<u8>,
        &Item { g, first, end, .. }: &Item,
        input: Source<'_, u8>,
    ) -> TapRows {
        let (w, depth) = (&self.window, self.window.channels / self.groups);
        let (channels, len) = (w.channels, w.batches * w.image());
        let at = input.at(first * channels + g * depth, (end - 1 - first) * channels + depth);
        let last = (end - 1) * channels + g * depth;
        let step = if self.gemm.takes_strips() {
            pointers[0].write(at);
            channels
        } else {
            pointers::write(pointers, 0, end - first, at, channels);
            0
        };
        TapRows { taps: 1, k: depth, step, reach: Extent::of(depth, len - last) }
    }

    /// Computes an item into `output`, the tensor, whose elements have `size` bytes.
    ///
    /// # Safety
    /// This thread must have begun a session, and `found` and `pointers` must come from [`point`](Self::point) for the
    /// item's positions. `results` must have channels for the item's columns and, if it has terms, terms for its rows.
    /// No other thread may access the results.
    #[inline(always)]
    pub(crate) unsafe fn multiply(
        &self,
        item: Item,
        (pointers, found): (&Room<u8>, &TapRows),
        results: Results,
        (output, size): (Disjoint<'_, u8>, usize),
    ) {
        let Item { g, from, columns, first, end, shift, .. } = item;
        let (rows, stride) = (end - first, self.columns * self.groups * size);
        let panels =
            &self.packed[g * self.group_bytes + from * self.column_bytes..][..columns * self.column_bytes];
        let product = Product {
            a: pointers.as_ptr().cast(),
            rows,
            step: found.step,
            taps: found.taps,
            k: found.k,
            reach: found.reach,
            weights: panels.as_ptr(),
            cached: Cached::of(self.packed.len()),
            column_bytes: self.column_bytes,
            results,
            c: output.tile(
                (shift + g * self.columns + from) * size + first * stride,
                [rows, stride, columns * size],
            ),
            stride,
            columns,
        };
        // SAFETY: the member was selected for this machine; pointers, session, channels and terms are as the caller
        // says, the panels of these columns were sliced, and the results are the caller's.
        unsafe { self.gemm.multiply(&product) };
    }
}

/// The least number of blocks of columns for threads that share the work: one if one thread does it all.
fn least_blocks(cost: usize, tiles: usize) -> usize {
    if Grain::is_one_range(cost) { 1 } else { MOST_ITEMS.div_ceil(tiles.max(1)) }
}

/// The positions of a row of the output and the number of its tiles, if tiles of one row are large enough and the
/// kernel gains from rows at a fixed distance.
fn line(gemm: &Gemm, window: &Window) -> Option<(usize, usize)> {
    let width = window.columns.output;
    let parts = width.div_ceil(gemm.mr);
    (gemm.takes_strips() && width >= ENOUGH * parts && !window.is_point()).then_some((width, parts))
}
