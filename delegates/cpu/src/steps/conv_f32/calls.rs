//! Cuts a range of items into calls of microkernels. An item is a tile of positions by a block of columns. A call has
//! several: tiles of a block side by side, or blocks of the only tile.

use std::ops::Range;

use super::{ConvF32, PrefetchTarget, TileAt};
use crate::reach::panels::{BandItem, Bands, Tiling, split};

/// The calls for a range of items, in order.
pub(super) struct Calls<'c> {
    conv: &'c ConvF32,
    tiling: &'c Tiling,
    bands: Bands,
    items: Range<usize>,
    /// Calls of the current block until now; `None` if no weights are prefetched.
    done: Option<usize>,
    /// Whether a call has prefetched its own weights.
    asked: bool,
}

impl ConvF32 {
    /// The calls for `items` of these tiles, in an order for this many threads. The first calls of a block prefetch
    /// weights if the range `prefetches`.
    pub(super) fn calls<'c>(
        &'c self,
        (tiling, threads): (&'c Tiling, usize),
        items: Range<usize>,
        prefetches: bool,
    ) -> Calls<'c> {
        let bands = Bands::new(tiling.count, self.groups * self.blocks.len(), threads);
        Calls { conv: self, tiling, bands, items, done: prefetches.then_some(0), asked: false }
    }
}

impl Calls<'_> {
    /// The weights that the next call prefetches, which may be the first one of a block.
    fn target(&mut self, is_first: bool) -> PrefetchTarget {
        let Some(done) = &mut self.done else { return PrefetchTarget::Nothing };
        if is_first {
            *done = 0;
        }
        let target = match *done {
            0 if !self.asked => PrefetchTarget::Own,
            1 => PrefetchTarget::Next,
            _ => PrefetchTarget::Nothing,
        };
        self.asked = *done >= 1;
        *done += 1;
        target
    }
}

impl Iterator for Calls<'_> {
    type Item = (TileAt, PrefetchTarget);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (left, item) = (self.items.len(), self.items.next()?);
        let BandItem { block, tile: t, band } = self.bands.item(item);
        let (group, block) = split(block, self.conv.blocks.len());
        let target = self.target(t == band.start);
        let (mut tiles, mut blocks) = (1, 1);
        if band.len() == 1 && !self.conv.finishes() {
            blocks = left.min(self.conv.blocks.len() - block);
        } else if let PrefetchTarget::Nothing = target {
            tiles = left.min(self.conv.tiles_per_call).min(self.tiling.alike(t)).min(band.end - t);
        }
        self.items.start = item + tiles * blocks;
        let first = self.tiling.tile(t);
        let positions = first.start..first.start + tiles * first.len();
        Some((TileAt { group, blocks: block..block + blocks, positions, rows: first.len() }, target))
    }
}
