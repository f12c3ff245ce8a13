//! Attention of `f32`. Keys and values are read where they are, and only at positions that the mask shows.
//!
//! Heads with the same keys and values are a group. A block is up to [`BLOCK`] rows of a group:
//!
//! ```text
//! mask ─► first..end, the positions that a row of the block sees
//! q · k[first..end] ─► scores ─► · scale ─► masked ─► softmax ─► · v[first..end] ─► results
//! ```
//! If a row sees nothing, its block looks at all positions, as the reference ops do.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::f32_attention::{self, ROWS, Tile};
use crate::kernels::f32_softmax::Softmax;
use crate::kernels::transpose::{Matrix, Transpose};
use crate::memory::{Disjoint, Source, Target};
use crate::step::{Grain, Run, Step};
use crate::steps::attention_layer::{Attention, Condition, Mask, Masking, Product};
use crate::steps::attention_window::{self, Block, Rows, Window};

/// From so many rows on, keys are transposed in chunks, which is cheaper than a sum over lanes for each score.
const TRANSPOSED: usize = 8;
/// The positions of a chunk of keys, and of values that are added up before the next ones.
const CHUNK: usize = 128;
/// The most rows for which keys and values are fetched before they are used.
const FETCHED: usize = 8;
/// Blocks that run between two waits. Each has scratch memory.
const WAVE: usize = 16;
/// Positions of a mask that are looked at in the time of a multiply-add.
const LOOKED_AT: usize = 8;

/// The first position and the end of a window.
type StoredWindow = [usize; 2];

/// Attention of several heads.
pub(crate) struct AttentionF32 {
    layer: Attention,
    kernels: &'static f32_attention::Attention,
    softmax: &'static Softmax,
    transpose: &'static Transpose,
    /// Heads with the same keys and values.
    groups: Vec<Vec<Product>>,
    blocks: Vec<Block>,
    /// A block of each window.
    windows: Vec<Block>,
    /// Queries, keys, values, mask.
    inputs: [Id; 4],
    output: Id,
}

/// Keys at positions `first..first + count` of a window.
#[derive(Clone, Copy)]
struct Part {
    b: *const f32,
    b_row: usize,
    first: usize,
    count: usize,
}

#[derive(Clone, Copy)]
struct Read<'r> {
    queries: Source<'r, f32>,
    keys: Source<'r, f32>,
    values: Source<'r, f32>,
    mask: Mask<'r>,
}

impl AttentionF32 {
    /// The step of a layer.
    pub(crate) fn new(
        layer: Attention,
        (kernels, softmax, transpose): (
            &'static f32_attention::Attention,
            &'static Softmax,
            &'static Transpose,
        ),
        inputs: [Id; 4],
        output: Id,
    ) -> Self {
        let mut groups: Vec<Vec<Product>> = Vec::new();
        for &product in &layer.products {
            let same =
                |group: &&mut Vec<Product>| (group[0].key, group[0].value) == (product.key, product.value);
            match groups.iter_mut().find(same) {
                Some(group) => group.push(product),
                None => groups.push(vec![product]),
            }
        }
        let (blocks, windows) = attention_window::blocks(&layer, &groups);
        AttentionF32 { layer, kernels, softmax, transpose, groups, blocks, windows, inputs, output }
    }

    /// The most rows of a block.
    fn most_rows(&self) -> usize {
        self.blocks.iter().map(|block| block.count).max().unwrap_or(0)
    }

    /// Elements of a row of scores in scratch memory.
    fn scores_row(&self) -> usize {
        self.layer.positions.next_multiple_of(16)
    }

    /// Whether a block with so many rows transposes keys.
    fn transposes(&self, rows: usize) -> bool {
        rows >= TRANSPOSED && self.layer.keys.channel == 1 && self.layer.keys.position != 1
    }

    /// Elements of a block's scratch memory: scores, and a chunk of transposed keys.
    fn block_len(&self) -> usize {
        let rows = self.most_rows();
        let transposed = if self.transposes(rows) { self.layer.depth * CHUNK } else { 0 };
        rows * self.scores_row() + transposed
    }

    /// How many blocks are worth a thread's while.
    fn grain(&self) -> Grain {
        let Attention { positions, depth, channels, .. } = self.layer;
        Grain::of_cost(self.most_rows() * positions * (depth + channels))
    }

    /// Bytes of the windows, in scratch memory.
    fn windows_len(&self) -> usize {
        (self.windows.len() * size_of::<StoredWindow>()).next_multiple_of(64)
    }

    /// The rows of a block.
    fn rows(&self, block: Block) -> Rows {
        Rows::of(&self.layer, &self.groups[block.group], block)
    }

    /// Finds the windows of all blocks.
    fn find_windows(&self, cx: &Run<'_>, mask: Mask<'_>, windows: Target<'_, StoredWindow>) -> Result<()> {
        let positions = self.layer.positions;
        let grain = Grain::of_cost(self.most_rows() * positions / LOOKED_AT);
        cx.parallel_parts(windows, 1, grain, |range, mut windows| {
            for (i, &block) in self.windows[range].iter().enumerate() {
                let Window { first, end } = Window::of(positions, self.kernels, &self.rows(block), mask);
                windows.set(i, [first, end]);
            }
        })
    }

    /// Multiplies `count` rows by a matrix. `tile` has the positions of [`ROWS`] rows, of which the last may be
    /// repeated.
    ///
    /// # Safety
    /// All rows of the tiles, and their matrices, must be readable; no other thread accesses the results.
    unsafe fn multiply(&self, count: usize, is_dots: bool, tile: impl Fn([usize; ROWS]) -> Tile) {
        let [one, many] = match is_dots {
            true => [self.kernels.dots_of_one, self.kernels.dots],
            false => [self.kernels.mix_of_one, self.kernels.mix],
        };
        for first in (0..count).step_by(ROWS) {
            let kernel = if count - first == 1 { one } else { many };
            // SAFETY: the members were selected for this machine; the caller guarantees the rest.
            unsafe { kernel(&tile(std::array::from_fn(|r| (first + r).min(count - 1)))) };
        }
    }

    /// Fetches the keys or the values of a group. Without this, blocks of few rows wait for memory: a row of a head is
    /// far from the next one, so the processor does not prefetch it.
    fn fetch(&self, group: usize, window: Window, all: Source<'_, f32>, are_keys: bool) {
        if self.most_rows() > FETCHED {
            return;
        }
        let (product, layer) = (self.groups[group][0], &self.layer);
        let (first, strides, channels) = match are_keys {
            true => (product.key, layer.keys, layer.depth),
            false => (product.value, layer.values, layer.channels),
        };
        let start = first + window.first * strides.position;
        let [b_row, rows, columns] = match strides.channel {
            1 => [strides.position, window.len(), channels],
            _ => [strides.channel, channels, window.len()],
        };
        let b = all.at(start, (rows - 1) * b_row + columns);
        // SAFETY: the member was selected for this machine.
        unsafe { (self.kernels.fetch)(rows, columns, b, b_row) };
    }

    /// Computes the scores of a block at the positions of `window`.
    fn score(&self, group: usize, rows: &Rows, window: Window, from: Read<'_>, mut scratch: Target<'_, f32>) {
        let Attention { depth, keys, .. } = self.layer;
        let start = self.groups[group][0].key + window.first * keys.position;
        let len = rows.count * self.scores_row();
        if self.transposes(rows.count) {
            let (all, room) = (scratch.len(), self.layer.depth * CHUNK);
            let mut transposed = scratch.part(all - room, room);
            let transposed = transposed.at(0, room);
            for first in (0..window.len()).step_by(CHUNK) {
                let count = CHUNK.min(window.len() - first);
                let chunk = from.keys.at(start + first * keys.position, (count - 1) * keys.position + depth);
                let matrix = Matrix {
                    from: chunk.cast(),
                    from_row: keys.position as isize,
                    to: transposed.cast(),
                    to_row: CHUNK as isize,
                    rows: count,
                    columns: depth,
                };
                // SAFETY: the member was selected for this machine. `at` checked the keys, and room for `depth` rows of
                // `CHUNK` elements in the block's own scratch memory, behind its scores.
                unsafe { (self.transpose.transpose)(&matrix) };
                let part = Part { b: transposed, b_row: CHUNK, first, count };
                self.score_part(rows, false, from.queries, &mut scratch.part(0, len), part);
            }
            return;
        }
        let is_dots = keys.channel == 1;
        let [b_row, b_rows, columns] = match is_dots {
            true => [keys.position, window.len(), depth],
            false => [keys.channel, depth, window.len()],
        };
        let b = from.keys.at(start, (b_rows - 1) * b_row + columns);
        let part = Part { b, b_row, first: 0, count: window.len() };
        self.score_part(rows, is_dots, from.queries, &mut scratch.part(0, len), part);
    }

    /// Computes scores at the positions of a part of the keys, whose address was checked.
    fn score_part(
        &self,
        rows: &Rows,
        is_dots: bool,
        queries: Source<'_, f32>,
        scores: &mut Target<'_, f32>,
        part: Part,
    ) {
        let (depth, row_len, all) = (self.layer.depth, self.scores_row(), scores.len());
        let scores = scores.part(0, all).share();
        // SAFETY: `at` checks rows of queries and scores; the caller checked the keys. The scores are borrowed mutably.
        unsafe {
            self.multiply(rows.count, is_dots, |tile| Tile {
                a: tile.map(|row| queries.at(rows.queries[row], depth)),
                c: tile.map(|row| scores.at(row * row_len + part.first, part.count)),
                b: part.b,
                b_row: part.b_row,
                depth,
                columns: part.count,
                adds: false,
            });
        }
    }

    /// Computes the probabilities of a block.
    fn weigh(&self, block: Block, window: Window, from: Read<'_>, scratch: &mut Target<'_, f32>) {
        let (rows, len) = (self.rows(block), scratch.len());
        self.fetch(block.group, window, from.values, false);
        self.score(block.group, &rows, window, from, scratch.part(0, len));
        self.soften(&rows, window, from.mask, scratch);
    }

    /// Turns scores into probabilities.
    fn soften(&self, rows: &Rows, window: Window, mask: Mask<'_>, scores: &mut Target<'_, f32>) {
        let (n, row_len) = (window.len(), self.scores_row());
        for (row, &start) in rows.masks[..rows.count].iter().enumerate() {
            let (start, scale) = (start + window.first, self.layer.scale);
            let mut row = scores.part(row * row_len, n);
            match mask {
                // SAFETY: the member was selected for this machine; both rows have `n` elements, as checked.
                Mask::Added(mask, clamp) => unsafe {
                    (self.kernels.shift)(n, row.at(0, n), scale, mask.at(start, n), clamp);
                },
                Mask::Chosen(condition) => condition.apply(start, scale, row.as_mut_slice()),
            }
            let x = row.at(0, n);
            // SAFETY: the member was selected for this machine; the row has `n` elements.
            unsafe { (self.softmax.row)(n, x, 1.0, x) };
        }
    }

    /// Adds up values, weighted by the probabilities of a block.
    ///
    /// # Safety
    /// No other thread accesses the results of the block.
    unsafe fn mix(
        &self,
        block: Block,
        window: Window,
        all_values: Source<'_, f32>,
        (scores, output): (Source<'_, f32>, Disjoint<'_, f32>),
    ) {
        let Attention { channels, values, .. } = self.layer;
        let rows = self.rows(block);
        let start = self.groups[block.group][0].value + window.first * values.position;
        let (is_dots, row_len) = (values.channel != 1, self.scores_row());
        // Few rows read all values once anyway.
        let chunk = if is_dots || rows.count <= ROWS { window.len() } else { CHUNK };
        for first in (0..window.len()).step_by(chunk) {
            let depth = chunk.min(window.len() - first);
            let [b_row, b_rows, columns] = match is_dots {
                true => [values.channel, channels, depth],
                false => [values.position, depth, channels],
            };
            let b = all_values.at(start + first * values.position, (b_rows - 1) * b_row + columns);
            // SAFETY: `at` checks all rows and the matrix; the caller guarantees that the results are this thread's.
            unsafe {
                self.multiply(rows.count, is_dots, |tile| Tile {
                    a: tile.map(|row| scores.at(row * row_len + first, depth)),
                    c: tile.map(|row| output.at(rows.results[row], channels)),
                    b,
                    b_row,
                    depth,
                    columns: channels,
                    adds: first > 0,
                });
            }
        }
    }
}

impl Step for AttentionF32 {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn scratch(&self) -> usize {
        self.windows_len() + self.blocks.len().min(WAVE) * self.block_len() * size_of::<f32>()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let [queries, keys, values] = [0, 1, 2].map(|i| cx.input::<f32>(self.inputs[i]));
        let mask = match self.layer.masking {
            Masking::Added(clamp) => Mask::Added(cx.input(self.inputs[3]), clamp),
            Masking::Chosen { shown, fill } => {
                Mask::Chosen(Condition { bytes: cx.input(self.inputs[3]), shown, fill })
            }
        };
        let from = Read { queries, keys, values, mask };
        let (split, all) = (self.windows_len(), cx.scratch().share());
        // SAFETY: the scratch memory has windows up to `split`, and blocks behind it.
        let [mut windows, scratch] = unsafe { [all.part(0, split), all.part(split, self.scratch() - split)] };
        self.find_windows(cx, mask, windows.part(0, self.windows.len() * size_of::<StoredWindow>()).cast())?;
        let windows = windows.into_source().cast::<StoredWindow>();
        let (len, scratch) = (self.block_len(), scratch.cast::<f32>().share());
        let output = cx.output::<f32>(self.output).share();
        let window_of = |block: Block| {
            let [first, end] = windows.get(block.window);
            Window { first, end }
        };
        for wave in self.blocks.chunks(WAVE) {
            cx.parallel_for(wave.len(), self.grain(), |range| {
                let end = range.end;
                self.fetch(wave[range.start].group, window_of(wave[range.start]), from.keys, true);
                for i in range {
                    // SAFETY: each block of a wave has its own part, and `i` is its position in the wave.
                    let mut scratch = unsafe { scratch.part(i * len, len) };
                    self.weigh(wave[i], window_of(wave[i]), from, &mut scratch);
                    if i + 1 < end {
                        self.fetch(wave[i + 1].group, window_of(wave[i + 1]), from.keys, true);
                    }
                    // SAFETY: each row is in one block, which one thread computes.
                    unsafe {
                        self.mix(wave[i], window_of(wave[i]), from.values, (scratch.written(), output))
                    };
                }
            })?;
        }
        Ok(())
    }
}
