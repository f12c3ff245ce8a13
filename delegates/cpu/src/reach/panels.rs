//! Divides matrix products: positions into tiles, columns into blocks of panels.

use std::ops::Range;

use crate::kernels::f32_gemm::{Gemm, Microkernel, Tall};
use crate::step::Grain;

/// A block of panels of floats.
pub(crate) struct Panels {
    /// Its first column.
    pub from: usize,
    /// How many it has.
    pub columns: usize,
    /// Their range in the packed weights of a group.
    pub packed: Range<usize>,
    /// The panels, in order.
    pub panels: Vec<Panel>,
}

/// The columns of one call of a microkernel.
pub(crate) struct Panel {
    /// Its first column, of the block's.
    pub from: usize,
    /// How many it has.
    pub columns: usize,
    /// Columns with the padding of the last vector.
    pub width: usize,
    /// Its offset in the packed weights of the block.
    pub packed: usize,
    /// How many panels from this one on are as wide, also in later blocks.
    pub alike: usize,
    /// The microkernel for `r` rows is number `r − 1`.
    kernels: &'static [Microkernel],
    /// The microkernel for tall tiles.
    tall: Option<Tall>,
}

impl Panel {
    /// The microkernel for this number of rows, which a [`Tiling`] gave.
    #[inline]
    pub(crate) fn kernel(&self, rows: usize) -> Microkernel {
        match self.tall {
            Some(tall) if tall.rows == rows => tall.kernel,
            _ => self.kernels[rows - 1],
        }
    }
}

/// Positions cut into tiles: tall ones as long as these are full, and others of about the same size. The position of a
/// tile is found without a division, which would take as long as a part of a small tile.
pub(crate) struct Tiling {
    /// Rows of a tall tile.
    tall: usize,
    /// How many tall tiles there are.
    whole: usize,
    /// The first position of the other tiles.
    rest: usize,
    /// Rows of the other tiles, of which the first ones have one more.
    rows: usize,
    /// How many tiles have one more row.
    larger: usize,
    /// All tiles.
    pub count: usize,
}

impl Tiling {
    /// Cuts positions whose results have `columns` columns.
    pub(crate) fn new(gemm: &Gemm, columns: usize, positions: Range<usize>) -> Tiling {
        let tall = gemm.tall(columns).map_or(usize::MAX, |tall| tall.rows);
        let whole = positions.len() / tall;
        let (rest, left) = (positions.start + whole * tall, positions.len() - whole * tall);
        let others = left.div_ceil(gemm.rows(columns));
        let (rows, larger) = (left / others.max(1), left % others.max(1));
        Tiling { tall, whole, rest, rows, larger, count: whole + others }
    }

    /// How many tiles from `t` on have as many rows.
    #[inline]
    pub(crate) fn alike(&self, t: usize) -> usize {
        match t.checked_sub(self.whole) {
            None => self.whole - t,
            Some(other) if other < self.larger => self.larger - other,
            Some(_) => self.count - t,
        }
    }

    /// The positions of tile `t`.
    #[inline]
    pub(crate) fn tile(&self, t: usize) -> Range<usize> {
        let Some(other) = t.checked_sub(self.whole) else {
            let from = self.rest - (self.whole - t) * self.tall;
            return from..from + self.tall;
        };
        let from = self.rest + other * self.rows + other.min(self.larger);
        from..from + self.rows + usize::from(other < self.larger)
    }
}

impl Panels {
    /// Cuts `columns` columns of `lines` lines into blocks that use `room` bytes of a cache, for tiles of `positions`
    /// positions in all.
    pub(crate) fn blocks(
        gemm: &'static Gemm,
        room: usize,
        [lines, columns]: [usize; 2],
        tiles: usize,
        positions: usize,
    ) -> Vec<Panels> {
        let all = columns;
        let block = |(from, columns)| {
            let first_column = from;
            let first = from * (lines + 1);
            let panel = |from| {
                let width = gemm.panel_width(from, columns);
                let kernels = gemm.kernels(width);
                let tall = gemm.tall(columns);
                Panel {
                    from,
                    columns: width.min(columns - from),
                    width,
                    packed: from * (lines + 1),
                    alike: gemm.alike(first_column + from, all),
                    kernels,
                    tall,
                }
            };
            let next = |last: &Panel| Some(last.from + last.width).filter(|&from| from < columns).map(panel);
            Panels {
                from,
                columns,
                packed: first..first + gemm.packed_len(lines, columns),
                panels: std::iter::successors(Some(panel(0)), next).collect(),
            }
        };
        let bytes = (lines + 1) * size_of::<f32>();
        let least = least_blocks(positions.saturating_mul(lines).saturating_mul(columns), tiles);
        let panels = ColumnPanels { nr: gemm.nr(), column_bytes: bytes };
        blocks(panels, room, columns, least).into_iter().map(block).collect()
    }
}

/// The least number of blocks of columns for threads that share the work. A block costs as much as a short panel, so
/// the columns of a small product stay together.
fn least_blocks(work: usize, tiles: usize) -> usize {
    MOST_ITEMS.min(Grain::ranges(work)).div_ceil(tiles.max(1))
}

/// The most items that columns are cut for, where there are few tiles.
pub(crate) const MOST_ITEMS: usize = 16;

/// The panels that columns are cut into.
pub(crate) struct ColumnPanels {
    /// Columns of a panel.
    pub nr: usize,
    /// Bytes of a packed column.
    pub column_bytes: usize,
}

/// Cuts the columns into blocks of whole panels: as many as stay in `room` bytes of a cache from
/// tile to tile, but at least `least` blocks if there are as many panels, so that several threads get some.
///
/// Gives each block's first column, and how many it has.
pub(crate) fn blocks(
    ColumnPanels { nr, column_bytes }: ColumnPanels,
    room: usize,
    columns: usize,
    least: usize,
) -> Vec<(usize, usize)> {
    let panels = columns.div_ceil(nr);
    let for_cache = (room / (nr * column_bytes).max(1)).max(1);
    let step = for_cache.min(panels.div_ceil(least.max(1))).max(1) * nr;
    (0..columns).step_by(step).map(|from| (from, step.min(columns - from))).collect()
}

/// The order of a layer's items, which are tiles by blocks of columns: band by band of tiles, and in a band block by
/// block. Each thread then computes all columns of neighbouring tiles, which its caches have when it reads them in the
/// next layer.
#[derive(Clone, Copy)]
pub(crate) struct Bands {
    /// The number of tiles.
    pub tiles: usize,
    /// The number of blocks, of all groups.
    pub blocks: usize,
    /// The number of bands; at most one per tile.
    count: usize,
}

/// An item of [`Bands`].
#[derive(Clone)]
pub(crate) struct BandItem {
    /// The block, counted over all groups.
    pub block: usize,
    /// The tile.
    pub tile: usize,
    /// The tiles of its band.
    pub band: Range<usize>,
}

impl Bands {
    /// Divides tiles among that many threads.
    pub(crate) fn new(tiles: usize, blocks: usize, threads: usize) -> Bands {
        Bands { tiles, blocks, count: if blocks == 1 { 1 } else { threads.clamp(1, tiles.max(1)) } }
    }

    /// The tiles of a band.
    fn band(&self, band: usize) -> Range<usize> {
        part(self.tiles, band, self.count)
    }

    /// Item `i`.
    #[inline]
    pub(crate) fn item(&self, i: usize) -> BandItem {
        let is_before = |band: &Range<usize>| band.end * self.blocks <= i;
        let band = (0..self.count)
            .map(|band| self.band(band))
            .find(|band| !is_before(band))
            .unwrap_or(0..self.tiles);
        let (block, tile) = split(i - band.start * self.blocks, band.len());
        BandItem { block, tile: band.start + tile, band }
    }

    /// The item after this one.
    #[inline]
    pub(crate) fn after(&self, at: &BandItem) -> BandItem {
        match (at.tile + 1 < at.band.end, at.block + 1 < self.blocks) {
            (true, _) => BandItem { tile: at.tile + 1, ..at.clone() },
            (_, true) => BandItem { tile: at.band.start, block: at.block + 1, ..at.clone() },
            _ => self.item(at.band.end * self.blocks),
        }
    }
}

/// Quotient and remainder. Without a division where one of them is 0, because it would cost as much as a small tile.
pub(crate) fn split(item: usize, of: usize) -> (usize, usize) {
    match of {
        1 => (item, 0),
        _ if item < of => (0, item),
        _ => (item / of, item % of),
    }
}

/// Part `t` of `0..all`, cut into `of` parts of about the same size.
pub(crate) fn part(all: usize, t: usize, of: usize) -> Range<usize> {
    if of == 1 { 0..all } else { t * all / of..(t + 1) * all / of }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::isa::Isa;

    proptest! {
        #[test]
        fn bands_have_each_tile_of_each_block_once(tiles in 1usize..20, blocks in 1usize..6, threads in 0usize..9) {
            let bands = Bands::new(tiles, blocks, threads);
            let mut next = bands.item(0);
            let mut seen = Vec::new();
            for i in 0..tiles * blocks {
                let item = bands.item(i);
                prop_assert_eq!((item.block, item.tile), (next.block, next.tile));
                prop_assert!(item.band.contains(&item.tile));
                next = bands.after(&item);
                seen.push((item.tile, item.block));
            }
            let share: Vec<_> = seen[..seen.len() / threads.max(1)].to_vec();
            let most = if blocks == 1 { tiles } else { 2 * tiles.div_ceil(threads.max(1)) };
            prop_assert!(share.iter().all(|&(tile, _)| tile < most), "{:?}", share);
            seen.sort_unstable();
            let all: Vec<_> = (0..tiles).flat_map(|tile| (0..blocks).map(move |block| (tile, block))).collect();
            prop_assert_eq!(seen, all);
        }

        #[test]
        fn tiles_follow_one_another_and_have_kernels(
            columns in 1usize..70, from in 0usize..9, len in 0usize..200,
        ) {
            let gemm = Gemm::select(Isa::machine());
            let tiling = Tiling::new(gemm, columns, from..from + len);
            let mut next = from;
            for tile in (0..tiling.count).map(|t| tiling.tile(t)) {
                let is_tall = gemm.tall(columns).is_some_and(|tall| tall.rows == tile.len());
                prop_assert!(is_tall || (1..=gemm.rows(columns)).contains(&tile.len()), "{tile:?}");
                prop_assert_eq!(tile.start, next);
                next = tile.end;
            }
            for t in 0..tiling.count {
                let alike = (t..tiling.count).take_while(|&u| tiling.tile(u).len() == tiling.tile(t).len());
                prop_assert!((1..=alike.count()).contains(&tiling.alike(t)));
            }
            prop_assert_eq!(next, from + len);
        }
    }
}
