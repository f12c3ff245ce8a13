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
mod calls;
mod finish;
mod parts;
mod reads;

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::{Aligned, Clamp};
use arenite_layers::{Id, Window, aligned_zeros};

use self::after::{Fused, Operands};
use super::cascade::RowStep;
pub(crate) use parts::ConvF32Parameters;

use crate::kernels::f32_gemm::{Gemm, Prefetch, Repeat, Tile};
use crate::kernels::f32_map::Map;
use crate::memory::{Disjoint, InPlace, Source, Target};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp};
use crate::reach::panels::{Panel, Panels, Tiling};
use crate::reach::patches_f32::{self, Patches};
use crate::reach::pointers::{Pointers, Room};
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
    /// Copies of the pixels under the window, if they replace pointers.
    patches: Option<Patches>,
    groups: usize,
    /// Output channels of a group.
    columns: usize,
    /// Channels of the input that a group reads.
    depth: usize,
    /// Values of a packed column.
    lines: usize,
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
    /// Most tiles of a call of a microkernel.
    tiles_per_call: usize,
    grain: Grain,
    /// Whether tiles stay in a buffer until the epilogue's last operation writes the output, which may overwrite an
    /// operand then.
    buffers_tiles: bool,
    /// The next step's weights, for prefetching only.
    next: PrefetchAddress,
}

/// The tiles of a call: several side by side, or one with several blocks.
#[derive(Clone)]
struct TileAt {
    group: usize,
    /// The blocks of columns.
    blocks: Range<usize>,
    /// The positions of all tiles.
    positions: Range<usize>,
    /// Positions of a tile.
    rows: usize,
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
    /// Room for patches if there are any, otherwise nothing.
    patches: Disjoint<'a, f32>,
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
        let tiles = Tiling::new(gemm, columns, 0..window.positions());
        let blocks = Panels::blocks(gemm, BLOCK, [lines, columns], tiles.count, window.positions());
        let widest = blocks.first().map_or(0, |block| block.columns);
        let fused = Fused::of(gemm, &parts);
        Ok(ConvF32 {
            buffers_tiles: parts.has_operand() && fused.is_none() && gemm.rows(columns) * widest <= BUFFER,
            tiles_per_call: parts.tiles_per_call(gemm, fused.is_some(), widest),
            patches: parts.patches(gemm),
            gemm,
            map,
            window,
            pointers: Pointers::new(window, groups == 1 && window.columns.dilation == 1)?,
            groups,
            columns,
            depth,
            lines: lines + 1,
            stride: filters,
            group: gemm.packed_len(lines, columns),
            packed: parts.pack(gemm, store, [lines, columns])?,
            zeros: aligned_zeros(window.columns.taps * depth)?,
            clamp: fused.as_ref().map_or(parts.clamp, |fused| fused.clamp),
            epilogue: parts.epilogue,
            fused,
            input: parts.input,
            output: parts.output,
            grain: Grain::of_cost(window.positions() * columns * lines / (blocks.len() * tiles.count).max(1)),
            tiles,
            blocks,
            next: PrefetchAddress::NOTHING,
        })
    }

    /// The packed weights of group `g`.
    fn group(&self, g: usize) -> &[f32] {
        &self.packed[g * self.group..][..self.group]
    }

    /// Computes tiles. If tiles are buffered, they follow `before` rows of results.
    ///
    /// # Safety
    /// No other thread may access the tiles' results in `work.output`, the tensor, or the room's buffer.
    #[inline(never)]
    unsafe fn tile(
        &self,
        at: TileAt,
        before: usize,
        target: PrefetchTarget,
        work: &TileData<'_>,
        room: &mut TileRoom<'_>,
    ) {
        let TileAt { group: g, ref blocks, ref positions, rows } = at;
        let (first, len) = (positions.start, positions.len());
        let read = self.point(room, &at, work.input);
        let (from, last) = (self.blocks[blocks.start].from, &self.blocks[blocks.end - 1]);
        let (count, column) = (last.from + last.columns - from, g * self.columns + from);
        let start = first * self.stride + column;
        let (c, step) = match self.buffers_tiles {
            true => (room.buffer.tile(before * count, [len, count, count]), count),
            false => (work.output.tile(start, [len, self.stride, count]), self.stride),
        };
        let tile = Tile {
            a: room.pointers.as_ptr().cast(),
            taps: read.taps,
            k: read.k,
            c,
            stride: step,
            low: self.clamp.low,
            high: self.clamp.high,
            after: work.operands.of(start, column, [len, self.stride, count]),
            repeat: Repeat { count: len / rows, a: rows * read.step, weights: 0, c: rows * step, slopes: 0 },
            ..Tile::PLAIN
        };
        // SAFETY: `point` looked up `k` values for each of the `taps · rows` pointers of every tile; results and
        // operands were looked up as a whole, and only this call writes the results.
        unsafe { self.multiply(&at, from..from + count, target, &tile) };
    }

    /// Multiplies tiles with the panels of `columns`, all of the call's blocks. `first` is the call for the first one,
    /// but for the weights.
    ///
    /// # Safety
    /// `first` must meet the requirements of a microkernel for all columns, but for the weights.
    #[inline(always)]
    unsafe fn multiply(&self, at: &TileAt, columns: Range<usize>, target: PrefetchTarget, first: &Tile) {
        let mut next = columns.start;
        for block in at.blocks.clone() {
            let Panels { from, ref packed, ref panels, .. } = self.blocks[block];
            let packed = self.group(at.group)[packed.clone()].as_ptr();
            for panel in panels {
                let column = from + panel.from;
                if column < next {
                    continue;
                }
                let weights = packed.wrapping_add(panel.packed);
                let mut tile = Tile {
                    weights,
                    c: first.c.wrapping_add(column - columns.start),
                    columns: panel.columns,
                    after: first.after.skip(column - columns.start),
                    prefetch: self.prefetch(at.group, block, panel, (target, weights)),
                    ..*first
                };
                next = column + panel.width;
                if first.repeat.count == 1 && panel.alike > 1 {
                    let alike = panel.alike.min((columns.end - column) / panel.width);
                    tile.repeat = Repeat::panels(alike, panel.width, panel.width * self.lines);
                    next = column + alike * panel.width;
                }
                // SAFETY: the kernel was selected for this machine. The panels were sliced, or follow one that was in
                // the weights of the group; their widths add up to the columns, for which `first` is sufficient.
                unsafe { panel.kernel(at.rows)(&tile) };
            }
        }
    }

    /// The weights that are prefetched while a panel of `block` is multiplied, whose own weights are `own`.
    #[inline]
    fn prefetch(
        &self,
        group: usize,
        block: usize,
        panel: &Panel,
        (target, own): (PrefetchTarget, *const f32),
    ) -> Prefetch {
        match target {
            PrefetchTarget::Nothing => Prefetch::nothing(own),
            PrefetchTarget::Own => Prefetch::ahead(own, panel.width),
            PrefetchTarget::Next => {
                Prefetch::panel(self.after(group, block).wrapping_add(panel.packed), panel.width)
            }
        }
    }

    /// Calls `work` with room for tiles.
    fn with_room(&self, mut work: impl FnMut(TileRoom<'_>)) {
        // Functions of their own: touching all these pages of the stack takes as long as a small product.
        #[inline(never)]
        fn buffered(work: &mut dyn FnMut(Disjoint<'_, f32>)) {
            let mut results = [const { MaybeUninit::<f32>::uninit() }; BUFFER];
            // SAFETY: `finish` only reads elements that `tile` has written.
            work(unsafe { Target::unwritten(&mut results) }.share());
        }
        #[inline(never)]
        fn patched(work: &mut dyn FnMut(Disjoint<'_, f32>)) {
            let mut patches = [const { MaybeUninit::<f32>::uninit() }; patches_f32::ROOM];
            // SAFETY: kernels only read elements that `Patches::copy` has written.
            work(unsafe { Target::unwritten(&mut patches) }.share());
        }
        self.pointers.with_room(&mut |pointers| {
            let mut work = |patches: Disjoint<'_, f32>| match self.buffers_tiles {
                true => buffered(&mut |buffer| work(TileRoom { pointers, patches, buffer })),
                false => work(TileRoom { pointers, patches, buffer: Disjoint::NONE }),
            };
            if self.patches.is_some() { patched(&mut work) } else { work(Disjoint::NONE) }
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
            let rows = self.window.positions();
            let all = TileAt { group: 0, blocks: 0..1, positions: 0..rows, rows };
            // SAFETY: this thread's alone.
            self.with_room(|mut room| unsafe {
                self.alone(all.clone(), PrefetchTarget::Own, &work, &mut room)
            });
            return Ok(());
        }
        let threads = cx.threads();
        cx.parallel_for(items, self.grain.on(threads), |range| {
            self.with_room(|mut room| {
                let mut calls = self.calls((&self.tiles, threads), range.clone(), true);
                // SAFETY: an item is a tile of positions by a block of columns of a group, of which no other item has
                // any. Each range of items is one thread's.
                unsafe { self.each(&mut calls, &work, &mut room) };
            });
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
        self.with_room(|mut room| {
            let mut calls = self.calls((&tiles, 1), 0..self.groups * self.blocks.len() * tiles.count, false);
            // SAFETY: tiles of the rows that `output` is, which is this call's alone.
            unsafe { self.each(&mut calls, &work, &mut room) };
        });
    }
}
