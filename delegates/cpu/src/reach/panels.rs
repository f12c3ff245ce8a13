//! Divides matrix products: positions into tiles, columns into blocks of panels.

use std::ops::Range;

use crate::kernels::f32_gemm::{Gemm, Microkernel};

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
    /// The microkernel for `r` rows is number `r − 1`.
    pub kernels: &'static [Microkernel],
}

impl Panels {
    /// Cuts `columns` columns of `lines` lines into blocks that use `room` bytes of a cache.
    pub(crate) fn blocks(
        gemm: &'static Gemm,
        room: usize,
        lines: usize,
        columns: usize,
        tiles: usize,
    ) -> Vec<Panels> {
        let block = |(from, columns)| {
            let first = from * (lines + 1);
            let panel = |from| {
                let width = gemm.panel_width(from, columns);
                let kernels = gemm.kernels(width);
                Panel { from, columns: width.min(columns - from), width, packed: from * (lines + 1), kernels }
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
        blocks(ColumnPanels { nr: gemm.nr(), column_bytes: bytes }, room, columns, tiles)
            .into_iter()
            .map(block)
            .collect()
    }
}

/// The panels that columns are cut into.
pub(crate) struct ColumnPanels {
    /// Columns of a panel.
    pub nr: usize,
    /// Bytes of a packed column.
    pub column_bytes: usize,
}

/// Cuts the columns into blocks of whole panels: as many as stay in `room` bytes of a cache from
/// tile to tile, and so few that several threads get some where there are few tiles.
///
/// Gives each block's first column, and how many it has.
pub(crate) fn blocks(
    ColumnPanels { nr, column_bytes }: ColumnPanels,
    room: usize,
    columns: usize,
    tiles: usize,
) -> Vec<(usize, usize)> {
    let panels = columns.div_ceil(nr);
    let for_cache = (room / (nr * column_bytes).max(1)).max(1);
    let for_threads = if tiles >= 16 { panels } else { panels.div_ceil(16usize.div_ceil(tiles.max(1))) };
    let step = for_cache.min(for_threads).max(1) * nr;
    (0..columns).step_by(step).map(|from| (from, step.min(columns - from))).collect()
}

/// Quotient and remainder. Where there is one of something, without a division, which would cost as much as a small
/// tile.
pub(crate) fn split(item: usize, of: usize) -> (usize, usize) {
    if of == 1 { (item, 0) } else { (item / of, item % of) }
}

/// Part `t` of `0..all`, cut into `of` parts of about the same size.
pub(crate) fn part(all: usize, t: usize, of: usize) -> Range<usize> {
    if of == 1 { 0..all } else { t * all / of..(t + 1) * all / of }
}
