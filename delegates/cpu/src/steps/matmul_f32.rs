//! Products of `f32` matrices. The second matrix is packed into scratch memory first; then rows of the first one are
//! multiplied by its panels.
//!
//! Matrices are views with strides along rows and columns, so a transposed tensor is read or written in place.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_base::Clamp;
use arenite_layers::Id;
use arenite_layers::layer::batch_matmul::{Sizes, View};
use arenite_layers::layer::matrices::Batches;

use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::kernels::transpose::{Matrix, Transpose};
use crate::memory::{Disjoint, Source, Target};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp, OutputRows};
use crate::step::{Grain, Run, Step};

/// Products of matrices.
pub(crate) struct MatMulF32 {
    /// The kernels.
    pub gemm: &'static Gemm,
    /// For `epilogue`.
    pub map: &'static Map,
    /// For packing.
    pub transpose: &'static Transpose,
    /// Of each product.
    pub sizes: Sizes,
    /// The matrices of both inputs for each product.
    pub batches: Batches,
    /// Of both inputs and the output, whose matrices are the products.
    pub views: [View; 3],
    /// Added to each row of a product; may be empty.
    pub bias: Vec<f32>,
    /// Products are clamped to this range.
    pub clamp: Clamp,
    /// The epilogue.
    pub epilogue: Vec<EpilogueOp>,
    /// Read.
    pub inputs: [Id; 2],
    /// Written.
    pub output: Id,
}

/// Most rows of a tile.
const ROWS: usize = 28;

/// Elements from one row, and from one column, of a matrix to the next.
struct Strides {
    row: usize,
    column: usize,
}

impl MatMulF32 {
    fn packed_len(&self) -> usize {
        self.gemm.packed_len(self.sizes.depth, self.sizes.columns).next_multiple_of(16)
    }

    fn panels(&self) -> usize {
        self.sizes.columns.div_ceil(self.gemm.nr())
    }

    fn tiles(&self) -> usize {
        self.sizes.rows.div_ceil(self.gemm.rows(self.sizes.columns))
    }

    /// Elements of the first matrices as rows, if they have to be transposed.
    fn transposed_len(&self) -> usize {
        let [a, ..] = &self.views;
        if a.column == 1 { 0 } else { a.starts.count() * self.sizes.rows * self.sizes.depth }
    }

    /// The number of elements that a matrix of `rows × columns` of a view spans.
    fn span(view: &View, rows: usize, columns: usize) -> usize {
        (rows - 1) * view.row + (columns - 1) * view.column + 1
    }

    /// `to[i · width + j] = from[i · row + j · column]` for all `i` of `rows` and `j` of `columns`.
    fn copy_transposed(
        &self,
        from: Source<'_, f32>,
        Strides { row, column }: Strides,
        to: &mut Target<'_, f32>,
        [rows, columns]: [usize; 2],
        width: usize,
    ) {
        if row != 1 {
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                to.set(i * width + j, from.get(i * row + j * column));
            }
            return;
        }
        let matrix = Matrix {
            from: from.at(0, (columns - 1) * column + rows).cast(),
            from_row: column as isize,
            to: to.at(0, (rows - 1) * width + columns).cast(),
            to_row: width as isize,
            rows: columns,
            columns: rows,
        };
        // SAFETY: selected for this machine, for words; the last elements of source and target were looked up, and no
        // element of one is one of the other, which is written alone.
        unsafe { (self.transpose.transpose)(&matrix) }
    }

    /// Packs the panel from column `from` on of a matrix of the second input, which `panel` is.
    fn pack(&self, from: usize, b: Source<'_, f32>, panel: &mut Target<'_, f32>) {
        let (Sizes { depth, columns, .. }, [_, view, _]) = (self.sizes, &self.views);
        let width = self.gemm.panel_width(from, columns);
        let used = width.min(columns - from);
        let mut line = panel.part(0, width);
        line.fill(0.0);
        if let Some(bias) = self.bias.get(from..from + used) {
            line.part(0, used).copy_from(Source::of(bias));
        }
        let b = b.part(from * view.column, Self::span(view, depth, used));
        let mut lines = panel.part(width, depth * width);
        if view.column == 1 {
            (0..depth).for_each(|i| lines.part(i * width, used).copy_from(b.part(i * view.row, used)));
        } else {
            let strides = Strides { row: view.row, column: view.column };
            self.copy_transposed(b, strides, &mut lines, [depth, used], width);
        }
        if used < width {
            (0..depth).for_each(|i| lines.part(i * width + used, width - used).fill(0.0));
        }
    }

    /// Computes tile `t` of a product whose results start at element `at` of `output`, the tensor.
    ///
    /// # Safety
    /// No other thread may access these results. `packed` must be the packed second matrix.
    unsafe fn tile(
        &self,
        t: usize,
        (a, row): (Source<'_, f32>, usize),
        packed: Source<'_, f32>,
        (output, at): (Disjoint<'_, f32>, usize),
        epilogue: &Epilogue<'_>,
    ) {
        let (Sizes { rows, depth, columns: all, .. }, stride) = (self.sizes, self.views[2].row);
        let (first, end) = (t * rows / self.tiles(), (t + 1) * rows / self.tiles());
        let mut pointers = [const { MaybeUninit::<*const f32>::uninit() }; ROWS];
        let a = a.at(first * row, (end - first - 1) * row + depth);
        for (r, pointer) in pointers[..end - first].iter_mut().enumerate() {
            pointer.write(a.wrapping_add(r * row));
        }
        let (start, mut column) = (at + first * stride, 0);
        while column < all {
            let width = self.gemm.panel_width(column, all);
            let columns = width.min(all - column);
            let weights = packed.at(column * (depth + 1), width * (depth + 1));
            let tile = Tile {
                a: pointers.as_ptr().cast(),
                taps: 1,
                k: depth,
                weights,
                c: output.tile(start + column, [end - first, stride, columns]),
                stride,
                columns,
                low: self.clamp.low,
                high: self.clamp.high,
                prefetch: Prefetch::nothing(weights),
                ..Tile::PLAIN
            };
            // SAFETY: the kernel was selected for this machine and this number of rows, each of which has a pointer to
            // `depth` values. `at` checked the panel, and no other thread accesses the results, as the caller
            // guarantees.
            unsafe { self.gemm.kernel(width, end - first)(&tile) };
            column += width;
        }
        // Whole rows are contiguous.
        let (runs, run) = if stride == all { (1, (end - first) * all) } else { (end - first, all) };
        let rows = OutputRows { first: start, stride, count: runs, len: run };
        // SAFETY: the tile's rows, which were just written.
        unsafe { epilogue.apply(self.map, output, rows) };
    }

    /// Puts both inputs into the form that tiles read, in `packed` and `transposed`; gives the first one, and the
    /// elements from one of its rows to the next.
    fn prepare<'r>(
        &self,
        cx: &'r Run<'_>,
        packed: Disjoint<'_, f32>,
        mut transposed: Target<'r, f32>,
    ) -> Result<(Source<'r, f32>, usize)> {
        let (Sizes { rows, depth, columns, .. }, [a_view, b_view, _]) = (self.sizes, &self.views);
        let [a, b] = self.inputs.map(|id| cx.input::<f32>(id));
        let (panels, nr) = (self.panels(), self.gemm.nr());
        let grain = Grain::of_cost(16 * depth * nr);
        cx.parallel_for(b_view.starts.count() * panels, grain, |range| {
            for item in range {
                let (m, p) = (item / panels, item % panels);
                let b = b.part(b_view.starts.of(m), Self::span(b_view, depth, columns));
                let (mut from, end) = (p * nr, columns.min((p + 1) * nr));
                while from < end {
                    let width = self.gemm.panel_width(from, columns);
                    let at = m * self.packed_len() + from * (depth + 1);
                    // SAFETY: each panel is one thread's, and has a line of bias and `depth` lines.
                    let mut panel = unsafe { packed.part(at, width * (depth + 1)) };
                    self.pack(from, b, &mut panel);
                    from += width;
                }
            }
        })?;
        if self.transposed_len() == 0 {
            return Ok((a, a_view.row));
        }
        let (all, grain) = (transposed.part(0, self.transposed_len()), Grain::of_cost(4 * rows * depth));
        cx.parallel_parts(all, rows * depth, grain, |matrices, mut to| {
            for (i, m) in matrices.enumerate() {
                let a = a.part(a_view.starts.of(m), Self::span(a_view, rows, depth));
                let mut to = to.part(i * rows * depth, rows * depth);
                let strides = Strides { row: a_view.row, column: a_view.column };
                self.copy_transposed(a, strides, &mut to, [rows, depth], depth);
            }
        })?;
        Ok((transposed.into_source(), depth))
    }
}

impl Step for MatMulF32 {
    fn name(&self) -> &'static str {
        "BATCH_MATMUL"
    }

    fn scratch(&self) -> usize {
        (self.views[1].starts.count() * self.packed_len() + self.transposed_len()) * size_of::<f32>()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (Sizes { rows, depth, columns, .. }, [a_view, b_view, c_view]) = (self.sizes, &self.views);
        let (packed, rest) = cx.scratch().take(b_view.starts.count() * self.packed_len());
        let (packed, transposed) = (packed.share(), rest.take(self.transposed_len()).0);
        let (a, row) = self.prepare(cx, packed, transposed)?;
        let output = cx.output::<f32>(self.output).share();
        let epilogue = epilogue::bind(&self.epilogue, cx);
        let tiles = self.tiles();
        let cost = rows * depth * columns / tiles;
        cx.parallel_for(self.batches.count() * tiles, Grain::of_cost(cost), |range| {
            for item in range {
                let (product, t) = (item / tiles, item % tiles);
                let [m, n] = self.batches.of(product);
                let start = if self.transposed_len() == 0 { a_view.starts.of(m) } else { m * rows * depth };
                let a = a.part(start, (rows - 1) * row + depth);
                // SAFETY: all panels are packed, and `packed` is not written any more.
                let packed = unsafe { packed.written() }.part(n * self.packed_len(), self.packed_len());
                let to = (output, c_view.starts.of(product));
                // SAFETY: each tile of rows is one thread's; the second matrices are packed.
                unsafe { self.tile(t, (a, row), packed, to, &epilogue) };
            }
        })
    }
}
