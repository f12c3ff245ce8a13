//! Products of a few rows with a packed matrix, on one thread: a step of a recurrent layer.

use arenite_abi::prelude::*;

use crate::kernels::f32_gemm::{Gemm, Prefetch, Repeat, Tile};
use crate::memory::{Source, Target};
use crate::store::{Block, Store};

/// Most rows of a tile.
const ROWS: usize = 28;

/// The sizes of a matrix that rows are multiplied with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatrixSizes {
    /// Elements of a row.
    pub depth: usize,
    /// Results of a row.
    pub columns: usize,
}

/// A packed matrix of `f32` with a bias.
pub(crate) struct Dense {
    gemm: &'static Gemm,
    sizes: MatrixSizes,
    packed: Block<f32>,
}

impl Dense {
    /// Packs the weights `weight(column, line)`, with `bias(column)`. `name` must determine both.
    pub(crate) fn new(
        gemm: &'static Gemm,
        store: &Store,
        name: &str,
        sizes: MatrixSizes,
        weight: &dyn Fn(usize, usize) -> f32,
        bias: &dyn Fn(usize) -> f32,
    ) -> Result<Dense> {
        let MatrixSizes { depth, columns } = sizes;
        let key = format!("{} {columns} × {depth}, {name}", gemm.name);
        let packed = store.block(&key, gemm.packed_len(depth, columns), |packed: &mut [f32]| {
            gemm.pack(depth, columns, packed, weight, bias);
        })?;
        Ok(Dense { gemm, sizes, packed })
    }

    /// Writes the products of the rows of `x`, as many as `y` has.
    pub(crate) fn multiply(&self, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let MatrixSizes { depth, columns } = self.sizes;
        let rows = y.len() / columns;
        let most = self.gemm.rows(columns).min(ROWS);
        for first in (0..rows).step_by(most) {
            let count = most.min(rows - first);
            let from = x.at(first * depth, count * depth);
            let mut pointers = [from; ROWS];
            pointers.iter_mut().enumerate().take(count).for_each(|(r, p)| *p = from.wrapping_add(r * depth));
            let c = y.at(first * columns, count * columns);
            let mut column = 0;
            while column < columns {
                let width = self.gemm.panel_width(column, columns);
                let (alike, panel) = (self.gemm.alike(column, columns), width * (depth + 1));
                let weights = self.packed[column * (depth + 1)..][..alike * panel].as_ptr();
                let tile = Tile {
                    a: pointers.as_ptr(),
                    taps: 1,
                    k: depth,
                    weights,
                    c: c.wrapping_add(column),
                    stride: columns,
                    columns: width.min(columns - column),
                    prefetch: Prefetch::nothing(weights),
                    repeat: Repeat::panels(alike, width, panel),
                    ..Tile::PLAIN
                };
                // SAFETY: the kernel was selected for this machine; each of `count` pointers has `depth` values, the
                // panels were sliced, and `at` checked `count` rows of `columns` results, of which the tiles write
                // some.
                unsafe { self.gemm.kernel(width, count)(&tile) };
                column += alike * width;
            }
        }
    }
}
