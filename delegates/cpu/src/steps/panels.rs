//! How products are cut: positions into tiles, columns into blocks of panels.

use std::ops::Range;

use crate::kernels::f32_gemm::{Gemm, Microkernel};

/// A block of panels of floats.
pub struct Panels {
    /// Its first column.
    pub from: usize,
    /// How many it has.
    pub columns: usize,
    /// Where they lie in a group's packed weights.
    pub packed: Range<usize>,
    /// One behind the other.
    pub panels: Vec<Panel>,
}

/// The columns of one call of a microkernel.
pub struct Panel {
    /// Its first column, of the block's.
    pub from: usize,
    /// How many it has.
    pub columns: usize,
    /// With those that fill its last vector.
    pub width: usize,
    /// Where it lies in the block's packed weights.
    pub packed: usize,
    /// The microkernel for `r` rows is number `r − 1`.
    pub kernels: &'static [Microkernel],
}

impl Panels {
    /// Blocks of `columns` columns of so many lines, of which `room` bytes stay in a cache.
    pub fn blocks(
        gemm: &'static Gemm,
        room: usize,
        (lines, columns): (usize, usize),
        tiles: usize,
    ) -> Vec<Panels> {
        let block = |(from, columns)| {
            let first = from * (lines + 1);
            let panel = |from| {
                let width = gemm.panel_width(from, columns);
                Panel {
                    from,
                    columns: width.min(columns - from),
                    width,
                    packed: from * (lines + 1),
                    kernels: gemm.kernels(width),
                }
            };
            Panels {
                from,
                columns,
                packed: first..first + gemm.packed_len(lines, columns),
                panels: (0..columns).step_by(gemm.nr()).map(panel).collect(),
            }
        };
        let bytes = (lines + 1) * size_of::<f32>();
        blocks((gemm.nr(), bytes), room, columns, tiles).into_iter().map(block).collect()
    }
}

/// Cuts the columns into blocks of whole panels of `nr` columns, of `column_bytes` each: as many as stay in `room` bytes of a cache from
/// tile to tile, and so few that several threads get some where there are few tiles.
///
/// Gives each block's first column, and how many it has.
pub fn blocks(
    (nr, column_bytes): (usize, usize),
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

/// Quotient and remainder. Where there is one of something, without a division, which would cost as much as a small tile.
pub fn split(item: usize, of: usize) -> (usize, usize) {
    if of == 1 { (item, 0) } else { (item / of, item % of) }
}

/// Where part `t` of `of` about equal ones of `all` begins and ends.
pub fn part(all: usize, t: usize, of: usize) -> (usize, usize) {
    if of == 1 { (0, all) } else { (t * all / of, (t + 1) * all / of) }
}
