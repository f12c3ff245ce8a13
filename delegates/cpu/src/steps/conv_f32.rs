//! Convolution of `f32` by products of rows: the pixels under a window are rows of a, found by pointers, never copied.
//!
//! ```text
//!             taps of one row of the filter lie side by side in the input (no dilation, one group):
//! inner tile:   one pointer per filter row, k = columns × channels
//! edge tile:    one pointer per tap, k = channels; outside the image it points to zeros
//! ```
//! Both add the same products in the same order, so a tile's kind does not change its bits.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::{Aligned, Clamp, Id, Stored, Window};

use super::cascade::Rows;
use super::epilogue::{self, Epilogue, EpilogueOp};
use super::panels::{Panels, part, split};
use super::pointers::{Pointers, Room, Seen};
use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::memory::{Disjoint, Source, Target};
use crate::program::{Ahead, Grain, InPlace, Run, Step};
use crate::store::{Block, Store};

/// Results of a tile that may lie apart until their last operation.
const APART: usize = 1 << 13;

/// Bytes of packed weights that are used tile after tile: a part of a second-level cache, so that the next ones fit beside them.
const BLOCK: usize = 1 << 19;

/// A convolution with packed weights.
pub struct ConvF32 {
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
    /// Packed weights of a group.
    group: usize,
    packed: Block<f32>,
    zeros: Aligned<f32>,
    clamp: Clamp,
    epilogue: Vec<EpilogueOp>,
    input: Id,
    output: Id,
    tiles: usize,
    blocks: Vec<Panels>,
    grain: Grain,
    /// Whether results come to the output with their last operation: so it may lie where an operand does.
    is_apart: bool,
    /// The next step's weights, which are asked for and never read through this.
    next: Ahead,
}

/// What a tile asks for while it is multiplied.
#[derive(Clone, Copy)]
enum Soon {
    /// All is near.
    Nothing,
    /// Its own weights, which are used for the first time.
    Own,
    /// The weights after this block.
    Next,
}

/// What all tiles of a run work on.
struct Work<'r> {
    input: Source<'r, f32>,
    output: Disjoint<'r, f32>,
    epilogue: Epilogue<'r>,
}

/// What a [`ConvF32`] is made of.
pub struct Parts<'a> {
    /// Geometry; `channels` are those of the whole input.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels, of all groups.
    pub filters: usize,
    /// Names the weights in a cache.
    pub name: String,
    /// `[filters][taps][channels / groups]`.
    pub weights: Stored<'a>,
    /// One per filter, or none.
    pub bias: Option<&'a [f32]>,
    /// Range of results before `epilogue`.
    pub clamp: Clamp,
    /// What follows.
    pub epilogue: Vec<EpilogueOp>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl ConvF32 {
    /// Packs the weights.
    pub fn new(gemm: &'static Gemm, map: &'static Map, store: &Store, parts: Parts<'_>) -> Result<Self> {
        let Parts { window, groups, filters, .. } = parts;
        let (columns, depth) = (filters / groups, window.channels / groups);
        let lines = window.rows.taps * window.columns.taps * depth;
        let (group, bias) = (gemm.packed_len(lines, columns), parts.bias.is_some());
        let key = format!("{} {filters}/{groups} × {lines}, bias {bias}, {}", gemm.name, parts.name);
        let packed = store.block(&key, group * groups, |packed: &mut [f32]| {
            for (g, packed) in packed.chunks_exact_mut(group).enumerate() {
                let bias = |j: usize| parts.bias.map_or(0.0, |bias| bias[g * columns + j]);
                gemm.pack_rows(lines, columns, packed, (&parts.weights, g * columns * lines), bias);
            }
        })?;
        let tiles = window.positions().div_ceil(gemm.rows(columns));
        let blocks = Panels::blocks(gemm, BLOCK, (lines, columns), tiles);
        let widest = blocks.first().map_or(0, |block| block.columns);
        let cost = window.positions() * columns * lines / (blocks.len() * tiles).max(1);
        let has_operand = parts.epilogue.iter().any(|op| matches!(op, EpilogueOp::Binary(..)));
        Ok(ConvF32 {
            is_apart: has_operand && gemm.rows(columns) * widest <= APART,
            gemm,
            map,
            window,
            pointers: Pointers::new(window),
            groups,
            columns,
            depth,
            stride: filters,
            group,
            packed,
            zeros: Aligned::try_zeros(window.columns.taps * depth)?,
            clamp: parts.clamp,
            epilogue: parts.epilogue,
            input: parts.input,
            output: parts.output,
            tiles,
            blocks,
            grain: Grain::of_cost(cost),
            next: Ahead::NOTHING,
        })
    }

    /// The packed weights of group `g`.
    fn group(&self, g: usize) -> &[f32] {
        &self.packed[g * self.group..][..self.group]
    }

    /// Computes positions `first..end`, a tile, of a block of columns of group `g`.
    ///
    /// # Safety
    /// Nobody else touches these results in the output, the tensor; `apart` is this thread's.
    #[inline(never)]
    unsafe fn tile(
        &self,
        (g, block): (usize, usize),
        (first, end): (usize, usize),
        soon: Soon,
        work: &Work<'_>,
        (pointers, apart): (&mut Room<f32>, Disjoint<'_, f32>),
    ) {
        let rows = end - first;
        let (taps, k) = self.point(pointers, (first, end), g, work.input);
        let Panels { from, columns: count, ref packed, ref panels } = self.blocks[block];
        let packed = self.group(g)[packed.clone()].as_ptr();
        let next = if let Soon::Next = soon { self.after(g, block) } else { packed };
        let start = first * self.stride + g * self.columns;
        let (c, step) = match self.is_apart {
            true => (apart.tile(0, [rows, count, count]), count),
            false => (work.output.tile(start + from, [rows, self.stride, count]), self.stride),
        };
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
                prefetch: match soon {
                    Soon::Nothing => Prefetch::nothing(weights),
                    Soon::Own => Prefetch::ahead(weights, panel.width),
                    Soon::Next => Prefetch::panel(next.wrapping_add(panel.packed), panel.width),
                },
            };
            // SAFETY: the kernel was selected for this machine; `point` looked up `k` values for each of `taps · rows` pointers; the block's
            // panels were sliced, whose widths add up to `count` columns; the results, looked up as a whole, are the caller's.
            unsafe { panel.kernels[rows - 1](&tile) };
        }
        if !self.epilogue.is_empty() {
            // SAFETY: the tile's results, which were just written.
            unsafe { self.finish((start + from, rows, count), apart, work) };
        }
    }

    /// Computes tiles, of which the first ones of a block ask for weights ahead of time.
    ///
    /// # Safety
    /// Nobody else computes these items; the room is this thread's.
    unsafe fn tiles(
        &self,
        items: Range<usize>,
        work: &Work<'_>,
        (pointers, apart): (&mut Room<f32>, Disjoint<'_, f32>),
    ) {
        let (mut done, mut asked) = (0, false);
        for item in items {
            let (block, t) = split(item, self.tiles);
            if t == 0 {
                done = 0;
            }
            let soon = match done {
                0 if !asked => Soon::Own,
                1 => Soon::Next,
                _ => Soon::Nothing,
            };
            asked = done >= 1;
            done += 1;
            let tile = part(self.window.positions(), t, self.tiles);
            let at = split(block, self.blocks.len());
            // SAFETY: an item is a tile of positions by a block of columns of a group, of which no other item has any.
            unsafe { self.tile(at, tile, soon, work, (&mut *pointers, apart)) };
        }
    }

    /// Calls `work` with memory for a tile's pointers, and for its results, if they lie apart.
    fn with_room(&self, mut work: impl FnMut(&mut Room<f32>, Disjoint<'_, f32>)) {
        // Apart: touching so many pages of the stack takes as long as a small product.
        #[inline(never)]
        fn apart(work: &mut dyn FnMut(Disjoint<'_, f32>)) {
            let mut results = [const { MaybeUninit::<f32>::uninit() }; APART];
            // SAFETY: `finish` reads what the tile before it has written.
            work(unsafe { Target::unwritten(&mut results) }.share());
        }
        self.pointers.with_room(&mut |room| match self.is_apart {
            true => apart(&mut |results| work(room, results)),
            false => work(room, Disjoint::NONE),
        });
    }

    /// Applies what follows to `rows` of `count` results each, the first of which belongs at `start`.
    ///
    /// # Safety
    /// The results are in the output, the tensor, or side by side in `apart`; nobody else touches them.
    #[inline(never)]
    unsafe fn finish(
        &self,
        (start, rows, count): (usize, usize, usize),
        apart: Disjoint<'_, f32>,
        &Work { output, ref epilogue, .. }: &Work<'_>,
    ) {
        // Whole rows lie side by side.
        let (runs, run) = if count == self.stride { (1, rows * count) } else { (rows, count) };
        for (r, at) in (0..runs).map(|r| (r, start + r * self.stride)) {
            for (i, op) in epilogue.iter().enumerate() {
                let (from, first) = if self.is_apart { (apart, r * run) } else { (output, at) };
                let (to, first_to) = if i + 1 == self.epilogue.len() { (output, at) } else { (from, first) };
                // SAFETY: a run of the tile's results, which nobody else touches, as this function requires. Operands are whole until the
                // last operation, which reads each element of them before it writes the one at its place.
                let (mut to, from) = unsafe { (to.part(first_to, run), from.written()) };
                op.apply(self.map, from.part(first, run), &mut to, at);
            }
        }
    }

    /// The weights that are wanted after a block: those of the next one, or of the next step.
    fn after(&self, g: usize, block: usize) -> *const f32 {
        match self.blocks.get(block + 1) {
            Some(next) => self.group(g)[next.packed.start..].as_ptr(),
            None if g + 1 < self.groups => self.group(g + 1).as_ptr(),
            None => self.next.address(),
        }
    }

    /// Fills in the pointers of positions `first..end` of group `g`; gives taps and values per tap, which are all there.
    fn point(
        &self,
        pointers: &mut Room<f32>,
        (first, end): (usize, usize),
        g: usize,
        input: Source<'_, f32>,
    ) -> (usize, usize) {
        let (channels, depth) = (self.window.channels, self.depth);
        if self.pointers.is_point {
            let at = input.at(first * channels + g * depth, (end - 1 - first) * channels + depth);
            for (i, pointer) in pointers[..end - first].iter_mut().enumerate() {
                pointer.write(at.wrapping_add(i * channels));
            }
            return (1, depth);
        }
        self.point_taps(pointers, (first, end), g, input)
    }

    /// As [`point`](Self::point), of a window of several taps.
    #[inline(never)]
    fn point_taps(
        &self,
        pointers: &mut Room<f32>,
        (first, end): (usize, usize),
        g: usize,
        input: Source<'_, f32>,
    ) -> (usize, usize) {
        let (w, depth) = (&self.window, self.depth);
        let runs = self.pointers.runs((first, end));
        let outside = self.zeros.as_ptr();
        let seen = |len| Seen { input, from: g * depth, len };
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
    fn weights(&self) -> Ahead {
        Ahead::of(&self.packed)
    }

    fn follow(&mut self, next: Ahead) {
        self.next = next;
    }

    fn name(&self) -> &'static str {
        "CONV_2D"
    }

    fn in_place(&self, id: Id) -> InPlace {
        let mut ops = self.epilogue.iter().filter(|op| op.operand() == Some(id)).peekable();
        let is_read_last = ops.peek().is_some() && ops.all(|op| matches!(op, EpilogueOp::Binary(..)));
        // SAFETY: results lie apart until the last operation, which reads a run of the operand and writes the output there, on one thread.
        // Only `Binary` has an operand that goes with the output element by element.
        unsafe { InPlace::only_if(self.is_apart && id != self.input && is_read_last) }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let work = Work {
            input: cx.input(self.input),
            output: cx.output(self.output).share(),
            epilogue: epilogue::bind(&self.epilogue, cx),
        };
        let items = self.groups * self.blocks.len() * self.tiles;
        if items == 1 {
            let all = (0, self.window.positions());
            // SAFETY: this thread's alone.
            self.with_room(|pointers, apart| unsafe {
                self.tile((0, 0), all, Soon::Own, &work, (pointers, apart))
            });
            return Ok(());
        }
        cx.parallel_for(items, self.grain, |range| {
            // SAFETY: each range of items is one thread's.
            self.with_room(|pointers, apart| unsafe { self.tiles(range.clone(), &work, (pointers, apart)) });
        })
    }
}

impl Rows for ConvF32 {
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
        let work = Work { input: input.cast(), output, epilogue: *epilogue };
        let tiles = (end - first).div_ceil(self.gemm.rows(self.columns));
        self.with_room(|pointers, apart| {
            for item in 0..self.groups * self.blocks.len() * tiles {
                let (block, t) = split(item, tiles);
                let (from, to) = part(end - first, t, tiles);
                let (tile, at) = ((first + from, first + to), split(block, self.blocks.len()));
                let room = (&mut *pointers, apart);
                // SAFETY: a tile of the rows that `output` is, which is this call's alone.
                unsafe { self.tile(at, tile, Soon::Nothing, &work, room) };
            }
        });
    }
}
