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
use super::pointers::Pointers;
use super::post::{self, Bounds, Post};
use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::memory::Shared;
use crate::program::{Run, Step};
use crate::store::{Block, Store};

/// Most pointers of a tile.
const POINTERS: usize = 28 * MAX_TAPS;
/// Room for them.
type Room = [MaybeUninit<*const f32>; POINTERS];
/// Results of a tile that may lie apart until their last post.
const APART: usize = 1 << 13;

/// Most taps of a filter.
pub const MAX_TAPS: usize = 256;
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
    packed: Block<f32>,
    zeros: Aligned<f32>,
    low: f32,
    high: f32,
    posts: Vec<Post>,
    input: Id,
    output: Id,
    tiles: usize,
    /// Blocks of panels: first column, columns, offset in a group's packed weights.
    blocks: Vec<(usize, usize, usize)>,
    /// Whether results come to the output with their last post: so it may lie where an operand does.
    is_apart: bool,
    /// The next step's weights.
    next: Shared<f32>,
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
    /// Range of results before `posts`.
    pub clamp: Clamp,
    /// What follows.
    pub posts: Vec<Post>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl ConvF32 {
    /// Packs the weights.
    pub fn new(gemm: &'static Gemm, map: &'static Map, store: &Store, parts: Parts<'_>) -> Result<Self> {
        let Parts { window, groups, filters, .. } = parts;
        let columns = filters / groups;
        let depth = window.channels / groups;
        let lines = window.rows.taps * window.columns.taps * depth;
        let group = gemm.packed_len(lines, columns);
        let bias = parts.bias.is_some();
        let key = format!("{} {filters}/{groups} × {lines}, bias {bias}, {}", gemm.name, parts.name);
        let packed = store.block(&key, group * groups, |packed: &mut [f32]| {
            for (g, packed) in packed.chunks_exact_mut(group).enumerate() {
                let bias = |j: usize| parts.bias.map_or(0.0, |bias| bias[g * columns + j]);
                gemm.pack_rows(lines, columns, packed, (&parts.weights, g * columns * lines), bias);
            }
        })?;
        let tiles = window.positions().div_ceil(gemm.rows(columns));
        let blocks = blocks(gemm, lines, columns, tiles);
        let widest = blocks.iter().map(|&(_, columns, _)| columns).max().unwrap_or(0);
        let has_operand = parts.posts.iter().any(|post| matches!(post, Post::Binary(..)));
        Ok(ConvF32 {
            is_apart: has_operand && gemm.rows(columns) * widest <= APART,
            gemm,
            map,
            window,
            pointers: Pointers::new(window),
            groups,
            columns,
            packed,
            zeros: Aligned::try_zeros(window.columns.taps * depth)?,
            low: parts.clamp.low,
            high: parts.clamp.high,
            posts: parts.posts,
            input: parts.input,
            output: parts.output,
            tiles,
            blocks,
            next: Shared::new(std::ptr::null_mut()),
        })
    }

    fn lines(&self) -> usize {
        self.window.rows.taps * self.window.columns.taps * (self.window.channels / self.groups)
    }

    /// Computes positions `first..end`, a tile, of a block of columns of group `g`.
    ///
    /// # Safety
    /// `input` and `output` are the tensors; nobody else writes these results.
    unsafe fn tile(
        &self,
        [g, block]: [usize; 2],
        (first, end): (usize, usize),
        soon: Soon,
        (input, output): (*const f32, *mut f32),
        posts: &Bounds,
        (pointers, apart): (&mut Room, *mut f32),
    ) {
        let rows = end - first;
        let depth = self.window.channels / self.groups;
        // SAFETY: `input` is the tensor, seen from the first channel of group `g`.
        let (taps, k) = unsafe { self.point(pointers, first, end, input.wrapping_add(g * depth)) };
        let (from, count, offset) = self.blocks[block];
        let lines = self.lines();
        let mut panel = g * self.gemm.packed_len(lines, self.columns) + offset;
        let next = self.after(g, block).wrapping_sub(panel);
        let stride = self.columns * self.groups;
        let start = first * stride + g * self.columns;
        let (c, step) = match self.is_apart {
            true => (apart.wrapping_sub(from), count),
            false => (output.wrapping_add(start), stride),
        };
        let mut column = from;
        while column < from + count {
            let width = self.gemm.panel_width(column, self.columns);
            let weights = self.packed[panel..].as_ptr();
            let tile = Tile {
                a: pointers.as_ptr().cast(),
                taps,
                k,
                weights,
                c: c.wrapping_add(column),
                stride: step,
                columns: width.min(self.columns - column),
                low: self.low,
                high: self.high,
                prefetch: match soon {
                    Soon::Nothing => Prefetch::nothing(weights),
                    Soon::Own => Prefetch::ahead(weights, width),
                    Soon::Next => Prefetch::panel(next.wrapping_add(panel), width),
                },
            };
            // SAFETY: the table's entry was selected for this machine; pointers have `k` values each, the panel has
            // `lines` lines, and the rows are those of the output.
            unsafe { self.gemm.by_vectors[width / self.gemm.lanes - 1][rows - 1](&tile) };
            panel += width * (lines + 1);
            column += width;
        }
        // SAFETY: the tile's results, just written by this thread.
        unsafe { self.finish((start + from, rows, count), apart, output, posts) };
    }

    /// Computes tiles, of which the first ones of a block ask for weights ahead of time.
    fn tiles(
        &self,
        items: Range<usize>,
        (input, output): (Shared<f32>, Shared<f32>),
        posts: &Bounds,
        apart: *mut f32,
    ) {
        let mut pointers = [const { MaybeUninit::uninit() }; POINTERS];
        let (mut done, mut asked) = (0, false);
        for item in items {
            let (block, t) = (item / self.tiles, item % self.tiles);
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
            let at = [block / self.blocks.len(), block % self.blocks.len()];
            let positions = self.window.positions();
            let tile = (t * positions / self.tiles, (t + 1) * positions / self.tiles);
            let places = (input.get().cast_const(), output.get());
            // SAFETY: the host's tensors have the shapes that the step was built for; each item has results of its own.
            unsafe { self.tile(at, tile, soon, places, posts, (&mut pointers, apart)) };
        }
    }

    /// Calls `work` with memory for a tile's results, if they lie apart.
    fn with_apart(&self, work: impl FnOnce(*mut f32)) {
        // A function of its own: touching so many pages of the stack takes as long as a small product.
        #[inline(never)]
        fn apart(work: impl FnOnce(*mut f32)) {
            let mut results = [const { MaybeUninit::<f32>::uninit() }; APART];
            work(results.as_mut_ptr().cast());
        }
        match self.is_apart {
            true => apart(work),
            false => work(std::ptr::null_mut()),
        }
    }

    /// Applies what follows to `rows` of `count` results each, the first of which belongs at `start`.
    ///
    /// # Safety
    /// The results are in `output`, the tensor, or side by side in `apart`; nobody else touches them.
    unsafe fn finish(
        &self,
        (start, rows, count): (usize, usize, usize),
        apart: *mut f32,
        output: *mut f32,
        posts: &Bounds,
    ) {
        let stride = self.columns * self.groups;
        // Whole rows lie side by side.
        let (runs, run) = if count == stride { (1, rows * stride) } else { (rows, count) };
        for r in 0..runs {
            let at = start + r * stride;
            let own = if self.is_apart { apart.wrapping_add(r * run).wrapping_sub(at) } else { output };
            for (i, post) in posts.iter().enumerate() {
                let to = if i + 1 == self.posts.len() { output } else { own };
                // SAFETY: the caller says that the run is there. Operands are whole until the last post, which reads each element of
                // them before it writes the one at its place.
                unsafe { post.apply(self.map, own, to, at, run) };
            }
        }
    }

    /// The weights that are wanted after a block: those of the next one, or of the next step.
    fn after(&self, g: usize, block: usize) -> *const f32 {
        let group = g * self.packed.len() / self.groups;
        match self.blocks.get(block + 1) {
            Some((_, _, offset)) => self.packed[group + offset..].as_ptr(),
            None if g + 1 < self.groups => self.packed[group + self.packed.len() / self.groups..].as_ptr(),
            None => self.next.get(),
        }
    }

    /// Fills in the pointers of positions `first..end`; gives taps and values per tap.
    ///
    /// # Safety
    /// `input` is the tensor, from the group's first channel on.
    unsafe fn point(
        &self,
        pointers: &mut Room,
        first: usize,
        end: usize,
        input: *const f32,
    ) -> (usize, usize) {
        let w = &self.window;
        let (channels, depth) = (w.channels, w.channels / self.groups);
        if w.is_point() {
            for (p, i) in pointers.iter_mut().zip(first..end) {
                p.write(input.wrapping_add(i * channels));
            }
            return (1, depth);
        }
        let runs = self.pointers.runs((first, end));
        let outside = self.zeros.as_ptr();
        if w.columns.dilation == 1 && self.groups == 1 && self.pointers.are_inside(&runs) {
            self.pointers.fill_rows(pointers, runs, input, outside);
            return (w.rows.taps, w.columns.taps * depth);
        }
        self.pointers.fill_taps(pointers, runs, input, outside);
        (w.rows.taps * w.columns.taps, depth)
    }
}

/// Cuts the columns into blocks of whole panels: small enough for the cache, and enough of them for several threads where there
/// are few tiles.
fn blocks(gemm: &Gemm, lines: usize, columns: usize, tiles: usize) -> Vec<(usize, usize, usize)> {
    let panel = gemm.nr() * (lines + 1) * size_of::<f32>();
    let panels = columns.div_ceil(gemm.nr());
    let for_cache = (BLOCK / panel).max(1);
    let for_threads = if tiles >= 16 { panels } else { panels.div_ceil(16usize.div_ceil(tiles.max(1))) };
    let step = for_cache.min(for_threads).max(1) * gemm.nr();
    (0..columns).step_by(step).map(|from| (from, step.min(columns - from), from * (lines + 1))).collect()
}

impl Step for ConvF32 {
    fn weights(&self) -> *const f32 {
        self.packed.as_ptr()
    }

    fn follow(&mut self, next: *const f32) {
        self.next = Shared::new(next.cast_mut());
    }

    fn name(&self) -> &'static str {
        "CONV_2D"
    }

    fn in_place(&self, id: Id) -> bool {
        let mut posts = self.posts.iter().filter(|post| post.operand() == Some(id)).peekable();
        self.is_apart
            && id != self.input
            && posts.peek().is_some()
            && posts.all(|post| matches!(post, Post::Binary(..)))
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = Shared::new(cx.place::<f32>(self.input));
        let output = Shared::new(cx.place::<f32>(self.output));
        let posts = post::bind(&self.posts, cx);
        let items = self.groups * self.blocks.len() * self.tiles;
        let cost =
            self.window.positions() * self.columns * self.lines() / (self.blocks.len() * self.tiles).max(1);
        let places = (input, output);
        cx.parallel_for(items, super::grain(cost), |range| {
            self.with_apart(|apart| self.tiles(range, places, &posts, apart));
        })
    }
}

impl Rows for ConvF32 {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.columns * self.groups * size_of::<f32>())
    }

    fn posts(&self) -> &[Post] {
        &self.posts
    }

    unsafe fn rows(
        &self,
        image: usize,
        rows: Range<usize>,
        input: *const u8,
        output: *mut u8,
        posts: &Bounds,
    ) {
        let (input, output) = (input.cast(), output.cast());
        let (from, width) = (image * self.window.rows.output, self.window.columns.output);
        let (first, end) = ((from + rows.start) * width, (from + rows.end) * width);
        let tiles = (end - first).div_ceil(self.gemm.rows(self.columns));
        let mut pointers = [const { MaybeUninit::uninit() }; POINTERS];
        self.with_apart(|apart| {
            for item in 0..self.groups * self.blocks.len() * tiles {
                let (block, t) = (item / tiles, item % tiles);
                let tile = (first + t * (end - first) / tiles, first + (t + 1) * (end - first) / tiles);
                let at = [block / self.blocks.len(), block % self.blocks.len()];
                let room = (&mut pointers, apart);
                // SAFETY: a tile of these rows, which are this call's to write; what it reads is there, as the caller says.
                unsafe { self.tile(at, tile, Soon::Nothing, (input, output), posts, room) };
            }
        });
    }
}
