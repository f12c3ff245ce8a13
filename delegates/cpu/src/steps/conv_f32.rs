//! `f32` convolution as a matrix product. The pixels under a window are the rows of a, read through pointers and never
//! copied.
//!
//! ```text
//!             taps of one row of the filter are adjacent in the input (no dilation, one group):
//! inner tile:   one pointer per filter row, k = columns × channels
//! edge tile:    one pointer per tap, k = channels; outside the image it points to zeros
//! ```
//! Both add the same products in the same order, so a tile's kind does not change its bits.

mod after;
mod finish;
mod parts;

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::{Aligned, Clamp};
use arenite_layers::{Id, Window, aligned_zeros};

use self::after::{Fused, Operands};
use super::cascade::RowStep;
pub(crate) use parts::ConvF32Parameters;

use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::memory::{Disjoint, InPlace, Source, Target};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp};
use crate::reach::panels::{Panels, Tiling, split};
use crate::reach::pointers::{PixelSource, Pointers, Room};
use crate::step::{Grain, PrefetchAddress, Run, Step};
use crate::store::{Block, Store};

/// Most results of a tile that stay in a buffer until the epilogue is done.
const BUFFER: usize = 1 << 13;

/// Bytes of packed weights that every tile reads: a part of a second-level cache, so that the next weights fit as well.
const BLOCK: usize = 1 << 19;

/// A convolution with packed weights.
pub(crate) struct ConvF32 {
    gemm: &'static Gemm,
    map: &'static Map,
    window: Window,
    pointers: Pointers,
    groups: usize,
    /// Output channels of a group.
    columns: usize,
    /// Channels of the input that a group reads.
    depth: usize,
    /// Values from one row of results to the next.
    stride: usize,
    group: usize, // packed weights
    packed: Block<f32>,
    zeros: Aligned<f32>,
    clamp: Clamp,
    epilogue: Vec<EpilogueOp>,
    /// The epilogue as operations of microkernels, if they have all of them.
    fused: Option<Fused>,
    input: Id,
    output: Id,
    tiles: Tiling,
    blocks: Vec<Panels>,
    grain: Grain,
    /// Whether tiles stay in a buffer until the epilogue's last operation writes the output, which may overwrite an
    /// operand then.
    buffers_tiles: bool,
    /// The next step's weights, for prefetching only.
    next: PrefetchAddress,
}

/// The tile of a call.
#[derive(Clone)]
struct TileAt {
    group: usize,
    /// The block of columns.
    block: usize,
    positions: Range<usize>,
}

/// The weights that are prefetched while a tile is multiplied.
#[derive(Clone, Copy)]
enum PrefetchTarget {
    /// None: all are in the cache.
    Nothing,
    /// The tile's own weights, which are used for the first time.
    Own,
    /// Those after this block.
    Next,
}

/// The memory that a thread writes while it computes tiles.
struct TileRoom<'a> {
    pointers: &'a mut Room<f32>,
    /// Room for a tile's results if tiles are buffered, otherwise nothing.
    buffer: Disjoint<'a, f32>,
}

/// The data that all tiles of a run share.
struct TileData<'r> {
    input: Source<'r, f32>,
    output: Disjoint<'r, f32>,
    epilogue: Epilogue<'r>,
    /// The operands of the fused operations, if there are any.
    operands: Operands<'r>,
}

impl ConvF32 {
    /// Packs the weights.
    pub(crate) fn new(
        gemm: &'static Gemm,
        map: &'static Map,
        store: &Store,
        parts: ConvF32Parameters<'_>,
    ) -> Result<Self> {
        let ConvF32Parameters { window, groups, filters, .. } = parts;
        let (columns, depth) = (filters / groups, window.channels / groups);
        let lines = window.rows.taps * window.columns.taps * depth;
        let group = gemm.packed_len(lines, columns);
        let packed = parts.pack(gemm, store, [lines, columns])?;
        let tiles = Tiling::new(gemm, columns, 0..window.positions());
        let blocks = Panels::blocks(gemm, BLOCK, lines, columns, tiles.count);
        let widest = blocks.first().map_or(0, |block| block.columns);
        let cost = window.positions() * columns * lines / (blocks.len() * tiles.count).max(1);
        let fused = Fused::of(gemm, &parts);
        Ok(ConvF32 {
            buffers_tiles: parts.has_operand() && fused.is_none() && gemm.rows(columns) * widest <= BUFFER,
            gemm,
            map,
            window,
            pointers: Pointers::new(window, groups == 1 && window.columns.dilation == 1)?,
            groups,
            columns,
            depth,
            stride: filters,
            group,
            packed,
            zeros: aligned_zeros(window.columns.taps * depth)?,
            clamp: fused.as_ref().map_or(parts.clamp, |fused| fused.clamp),
            epilogue: parts.epilogue,
            fused,
            input: parts.input,
            output: parts.output,
            tiles,
            blocks,
            grain: Grain::of_cost(cost),
            next: PrefetchAddress::NOTHING,
        })
    }

    /// The packed weights of group `g`.
    fn group(&self, g: usize) -> &[f32] {
        &self.packed[g * self.group..][..self.group]
    }

    /// Computes a tile. If tiles are buffered, it follows `before` rows of results.
    ///
    /// # Safety
    /// No other thread may access the tile's results in `work.output`, the tensor, or the room's buffer.
    #[inline(never)]
    unsafe fn tile(
        &self,
        TileAt { group: g, block, positions }: TileAt,
        before: usize,
        target: PrefetchTarget,
        work: &TileData<'_>,
        TileRoom { pointers, buffer }: TileRoom<'_>,
    ) {
        let (first, rows) = (positions.start, positions.len());
        let (taps, k) = self.point(pointers, positions, g, work.input);
        let Panels { from, columns: count, ref packed, ref panels } = self.blocks[block];
        let packed = self.group(g)[packed.clone()].as_ptr();
        let next = if let PrefetchTarget::Next = target { self.after(g, block) } else { packed };
        let column = g * self.columns + from;
        let start = first * self.stride + column;
        let (c, step) = match self.buffers_tiles {
            true => (buffer.tile(before * count, [rows, count, count]), count),
            false => (work.output.tile(start, [rows, self.stride, count]), self.stride),
        };
        let after = work.operands.of(start, column, [rows, self.stride, count]);
        for panel in panels {
            let weights = packed.wrapping_add(panel.packed);
            let tile = Tile {
                a: pointers.as_ptr().cast(),
                taps,
                k,
                weights,
                c: c.wrapping_add(panel.from),
                stride: step,
                columns: panel.columns,
                low: self.clamp.low,
                high: self.clamp.high,
                after: after.skip(panel.from),
                prefetch: match target {
                    PrefetchTarget::Nothing => Prefetch::nothing(weights),
                    PrefetchTarget::Own => Prefetch::ahead(weights, panel.width),
                    PrefetchTarget::Next => Prefetch::panel(next.wrapping_add(panel.packed), panel.width),
                },
            };
            // SAFETY: the kernel was selected for this machine; `point` looked up `k` values for each of `taps · rows`
            // pointers; the block's panels were sliced, whose widths add up to `count` columns; results and operands
            // were looked up as a whole, and the results are the caller's.
            unsafe { panel.kernel(rows)(&tile) };
        }
    }

    /// Computes tiles. The first tiles of a block prefetch weights.
    ///
    /// # Safety
    /// No other thread may compute these items or access the buffers.
    unsafe fn tiles(&self, items: Range<usize>, work: &TileData<'_>, room: TileRoom<'_>) {
        let (mut done, mut asked) = (0, false);
        let mut tiles = items.map(|item| {
            let (block, t) = split(item, self.tiles.count);
            if t == 0 {
                done = 0;
            }
            let target = match done {
                0 if !asked => PrefetchTarget::Own,
                1 => PrefetchTarget::Next,
                _ => PrefetchTarget::Nothing,
            };
            asked = done >= 1;
            done += 1;
            let positions = self.tiles.tile(t);
            let (group, block) = split(block, self.blocks.len());
            (TileAt { group, block, positions }, target)
        });
        // SAFETY: an item is a tile of positions by a block of columns of a group, of which no other item has any.
        unsafe { self.each(&mut tiles, work, room) };
    }

    /// Calls `work` with room for tiles.
    fn with_room(&self, mut work: impl FnMut(TileRoom<'_>)) {
        // A function of its own: touching all these pages of the stack takes as long as a small product.
        #[inline(never)]
        fn buffered(work: &mut dyn FnMut(Disjoint<'_, f32>)) {
            let mut results = [const { MaybeUninit::<f32>::uninit() }; BUFFER];
            // SAFETY: `finish` only reads elements that `tile` has written.
            work(unsafe { Target::unwritten(&mut results) }.share());
        }
        self.pointers.with_room(&mut |pointers| match self.buffers_tiles {
            true => buffered(&mut |buffer| work(TileRoom { pointers, buffer })),
            false => work(TileRoom { pointers, buffer: Disjoint::NONE }),
        });
    }

    /// The weights to prefetch after a block: the next block's, or the next step's.
    fn after(&self, g: usize, block: usize) -> *const f32 {
        match self.blocks.get(block + 1) {
            Some(next) => self.group(g)[next.packed.start..].as_ptr(),
            None if g + 1 < self.groups => self.group(g + 1).as_ptr(),
            None => self.next.address(),
        }
    }

    /// Fills in the pointers of the positions of group `g`; returns taps and values per tap, which are all there.
    fn point(
        &self,
        pointers: &mut Room<f32>,
        positions: Range<usize>,
        g: usize,
        input: Source<'_, f32>,
    ) -> (usize, usize) {
        let (channels, depth) = (self.window.channels, self.depth);
        if self.pointers.is_point {
            let Range { start: first, end } = positions;
            let at = input.at(first * channels + g * depth, (end - 1 - first) * channels + depth);
            for (i, pointer) in pointers[..end - first].iter_mut().enumerate() {
                pointer.write(at.wrapping_add(i * channels));
            }
            return (1, depth);
        }
        self.point_taps(pointers, positions, g, input)
    }

    /// As [`point`](Self::point), of a window of several taps.
    #[inline(never)]
    fn point_taps(
        &self,
        pointers: &mut Room<f32>,
        positions: Range<usize>,
        g: usize,
        input: Source<'_, f32>,
    ) -> (usize, usize) {
        let (w, depth) = (&self.window, self.depth);
        let runs = self.pointers.runs(positions);
        let outside = self.zeros.as_ptr();
        let seen = |len| PixelSource { input, from: g * depth, len };
        if w.columns.dilation == 1 && self.groups == 1 && self.pointers.are_inside(&runs) {
            let k = w.columns.taps * depth;
            self.pointers.fill_rows(pointers, runs, seen(k), outside);
            return (w.rows.taps, k);
        }
        self.pointers.fill_taps(pointers, runs, seen(depth), outside);
        (w.rows.taps * w.columns.taps, depth)
    }
}

impl Step for ConvF32 {
    fn weights(&self) -> PrefetchAddress {
        PrefetchAddress::of(&self.packed)
    }

    fn follow(&mut self, next: PrefetchAddress) {
        self.next = next;
    }

    fn name(&self) -> &'static str {
        "CONV_2D"
    }

    fn in_place(&self, id: Id) -> InPlace {
        let mut ops = self.epilogue.iter().filter(|op| op.operand() == Some(id)).peekable();
        let is_read_last = ops.peek().is_some() && ops.all(|op| matches!(op, EpilogueOp::Binary(..)));
        let is_apart = self.buffers_tiles || self.fused.is_some();
        // SAFETY: results stay in a buffer or in registers until the last operation. It reads a run of the operand and
        // writes it to the output on the same thread. Only the operand of `Binary` corresponds to the output element by
        // element.
        unsafe { InPlace::only_if(is_apart && id != self.input && is_read_last) }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let epilogue = epilogue::bind(&self.epilogue, cx);
        let work = TileData {
            input: cx.input(self.input),
            output: cx.output(self.output).share(),
            operands: Operands::new(self.fused.as_ref(), &epilogue),
            epilogue,
        };
        let items = self.groups * self.blocks.len() * self.tiles.count;
        if items == 1 {
            let all = TileAt { group: 0, block: 0, positions: 0..self.window.positions() };
            // SAFETY: this thread's alone.
            self.with_room(|room| unsafe { self.alone(all.clone(), PrefetchTarget::Own, &work, room) });
            return Ok(());
        }
        cx.parallel_for(items, self.grain, |range| {
            // SAFETY: each range of items is one thread's.
            self.with_room(|room| unsafe { self.tiles(range.clone(), &work, room) });
        })
    }
}

impl RowStep for ConvF32 {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.stride * size_of::<f32>())
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &self.epilogue
    }

    fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: Source<'_, u8>,
        output: Target<'_, u8>,
        epilogue: &Epilogue<'_>,
    ) {
        let (from, width) = (image * self.window.rows.output, self.window.columns.output);
        let (first, end) = ((from + rows.start) * width, (from + rows.end) * width);
        let output = output.cast().share().within(first * self.stride);
        let work = TileData {
            input: input.cast(),
            output,
            operands: Operands::new(self.fused.as_ref(), epilogue),
            epilogue: *epilogue,
        };
        let tiles = Tiling::new(self.gemm, self.columns, first..end);
        self.with_room(|room| {
            let mut tiles = (0..self.groups * self.blocks.len() * tiles.count).map(|item| {
                let (block, t) = split(item, tiles.count);
                let (group, block) = split(block, self.blocks.len());
                (TileAt { group, block, positions: tiles.tile(t) }, PrefetchTarget::Nothing)
            });
            // SAFETY: tiles of the rows that `output` is, which is this call's alone.
            unsafe { self.each(&mut tiles, &work, room) };
        });
    }
}
