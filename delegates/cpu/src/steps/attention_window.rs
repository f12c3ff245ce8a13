//! The rows of attention that are computed together, and the positions that they see.

use crate::kernels::f32_attention;
use crate::steps::attention_layer::{Attention, Mask, Product};

/// The most rows of a block.
pub(super) const BLOCK: usize = 32;

/// Rows of a group: heads with the same keys and values.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub group: usize,
    /// Rows are counted through all heads of the group.
    pub first: usize,
    pub count: usize,
    /// The number of its window. Blocks with the same masks have the same window.
    pub window: usize,
}

/// Where the rows of a block begin, in elements.
pub(super) struct Rows {
    pub count: usize,
    pub queries: [usize; BLOCK],
    pub masks: [usize; BLOCK],
    pub results: [usize; BLOCK],
}

impl Rows {
    /// The rows of a block of these heads.
    pub(super) fn of(layer: &Attention, heads: &[Product], block: Block) -> Rows {
        let &Attention { rows, query_row, mask_row, output_row, .. } = layer;
        let mut found =
            Rows { count: block.count, queries: [0; BLOCK], masks: [0; BLOCK], results: [0; BLOCK] };
        let (mut head, mut row) = (block.first / rows, block.first % rows);
        for i in 0..block.count {
            let Product { query, mask, output, .. } = heads[head];
            found.queries[i] = query + row * query_row;
            found.masks[i] = mask + row * mask_row;
            found.results[i] = output + row * output_row;
            row += 1;
            if row == rows {
                (head, row) = (head + 1, 0);
            }
        }
        found
    }
}

/// The positions `first..end`.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub first: usize,
    pub end: usize,
}

impl Window {
    pub(super) fn len(self) -> usize {
        self.end - self.first
    }

    /// The positions that the rows of a block see: all of them if a row sees nothing.
    pub(super) fn of(
        positions: usize,
        kernels: &f32_attention::Attention,
        rows: &Rows,
        mask: Mask<'_>,
    ) -> Window {
        let (mut seen, mut last) = (Window { first: positions, end: 0 }, None);
        for &start in &rows.masks[..rows.count] {
            // Heads of a group usually have one mask.
            if last.replace(start) == Some(start) {
                continue;
            }
            let (first, end) = match mask {
                // SAFETY: the member was selected for this machine; `at` checks the row.
                Mask::Added(mask, _) => unsafe { (kernels.visible)(positions, mask.at(start, positions)) },
                Mask::Chosen(condition) => condition.visible(start, positions),
            };
            if first >= end {
                return Window { first: 0, end: positions };
            }
            seen = Window { first: seen.first.min(first), end: seen.end.max(end) };
        }
        seen
    }
}

/// Windows among which one with the same masks is looked for.
const KNOWN: usize = 256;

/// Cuts the rows of all groups into blocks. Returns also the first block of each window: a mask is read once for all
/// heads that have it.
pub(super) fn blocks(layer: &Attention, groups: &[Vec<Product>]) -> (Vec<Block>, Vec<Block>) {
    let (mut blocks, mut windows) = (Vec::new(), Vec::<(Block, Vec<usize>)>::new());
    for (group, heads) in groups.iter().enumerate() {
        let rows = heads.len() * layer.rows;
        for first in (0..rows).step_by(BLOCK) {
            let mut block = Block { group, first, count: BLOCK.min(rows - first), window: windows.len() };
            let mut masks = Rows::of(layer, heads, block).masks[..block.count].to_vec();
            masks.dedup();
            match windows.iter().rev().take(KNOWN).find(|(_, known)| *known == masks) {
                Some((known, _)) => block.window = known.window,
                None => windows.push((block, masks)),
            }
            blocks.push(block);
        }
    }
    (blocks, windows.into_iter().map(|(block, _)| block).collect())
}
