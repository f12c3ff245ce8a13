//! Products of `f32` matrices: the second one is packed first, in scratch memory, then rows of the first one meet its panels.
//!
//! Matrices are views: each element of one is so many elements from the next along its rows and along its columns, so that a
//! tensor that would have to be transposed is read, and written, where it is.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_layers::ops::batch_matmul::{Sizes, View};
use arenite_layers::ops::matrices::Batches;
use arenite_layers::{Clamp, Id};

use super::post::{self, Bounds, Post};
use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::kernels::turn::{Matrix, Turn};
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Products of matrices.
pub struct MatMulF32 {
    /// The kernels.
    pub gemm: &'static Gemm,
    /// For `posts`.
    pub map: &'static Map,
    /// For packing.
    pub turn: &'static Turn,
    /// Of each product.
    pub sizes: Sizes,
    /// The matrices of the first and of the second input that each product has.
    pub batches: Batches,
    /// Of both inputs and the output, whose matrices are the products.
    pub views: [View; 3],
    /// What is added to the rows of products, or nothing.
    pub bias: Vec<f32>,
    /// What products are clamped to.
    pub clamp: Clamp,
    /// What follows.
    pub posts: Vec<Post>,
    /// Read.
    pub inputs: [Id; 2],
    /// Written.
    pub output: Id,
}

/// Most rows of a tile.
const ROWS: usize = 28;

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

    /// Values of the first matrices in rows, where they do not lie so.
    fn turned_len(&self) -> usize {
        let [a, ..] = &self.views;
        if a.column == 1 { 0 } else { a.starts.count() * self.sizes.rows * self.sizes.depth }
    }

    /// Copies matrix `m` of the first input, row by row.
    ///
    /// # Safety
    /// `a` is the input, `to` has room for the matrix.
    unsafe fn turn(&self, m: usize, a: *const f32, to: *mut f32) {
        let (Sizes { rows, depth, .. }, [view, ..]) = (self.sizes, &self.views);
        // SAFETY: `rows × depth` elements of matrix `m` of the view, to as many side by side.
        unsafe {
            self.copy_turned(a.add(view.starts.of(m)), (view.row, view.column), to, (rows, depth), depth)
        }
    }

    /// `to[i · width + j] = from[i · row + j · column]` for all `i` of `rows` and `j` of `columns`.
    ///
    /// # Safety
    /// All of these elements are readable, and writable.
    unsafe fn copy_turned(
        &self,
        from: *const f32,
        (row, column): (usize, usize),
        to: *mut f32,
        (rows, columns): (usize, usize),
        width: usize,
    ) {
        // SAFETY: element (i, j) lies at `i · row + j · column` of the source and at `i · width + j` of the target, for all `i` and `j`.
        unsafe {
            if row == 1 {
                (self.turn.turn)(&Matrix {
                    from: from.cast(),
                    from_row: column as isize,
                    to: to.cast(),
                    to_row: width as isize,
                    rows: columns,
                    columns: rows,
                });
                return;
            }
            for i in 0..rows {
                for j in 0..columns {
                    *to.add(i * width + j) = *from.add(i * row + j * column);
                }
            }
        }
    }

    /// Packs panel `p` of a matrix of the second input.
    ///
    /// # Safety
    /// `b` is the matrix, `packed` its packed form, of which nobody else touches this panel.
    unsafe fn pack(&self, p: usize, b: *const f32, packed: *mut f32) {
        let (Sizes { depth, columns, .. }, [_, view, _]) = (self.sizes, &self.views);
        let from = p * self.gemm.nr();
        let width = self.gemm.panel_width(from, columns);
        let used = width.min(columns - from);
        // SAFETY: the panel has a line of bias and `depth` lines; columns `from..from + used` are the matrix's.
        unsafe {
            let panel = packed.add(from * (depth + 1));
            panel.write_bytes(0, width);
            if let Some(bias) = self.bias.get(from..from + used) {
                std::ptr::copy_nonoverlapping(bias.as_ptr(), panel, used);
            }
            let (b, lines) = (b.add(from * view.column), panel.add(width));
            if view.column == 1 {
                for i in 0..depth {
                    std::ptr::copy_nonoverlapping(b.add(i * view.row), lines.add(i * width), used);
                }
            } else {
                self.copy_turned(b, (view.row, view.column), lines, (depth, used), width);
            }
            if used < width {
                (0..depth).for_each(|i| lines.add(i * width + used).write_bytes(0, width - used));
            }
        }
    }

    /// Computes tile `t` of a product whose results begin `at` elements from `output` on.
    ///
    /// # Safety
    /// `a` is the first matrix, whose rows are `row` elements apart, `packed` the second one; nobody else writes these results.
    unsafe fn tile(
        &self,
        t: usize,
        (a, row): (*const f32, usize),
        packed: *const f32,
        (output, at): (*mut f32, usize),
        posts: &Bounds,
    ) {
        let (Sizes { rows, depth, columns, .. }, stride) = (self.sizes, self.views[2].row);
        let (first, end) = (t * rows / self.tiles(), (t + 1) * rows / self.tiles());
        let mut pointers = [const { MaybeUninit::<*const f32>::uninit() }; ROWS];
        for (pointer, r) in pointers.iter_mut().zip(first..end) {
            pointer.write(a.wrapping_add(r * row));
        }
        let start = at + first * stride;
        let mut column = 0;
        while column < columns {
            let width = self.gemm.panel_width(column, columns);
            let weights = packed.wrapping_add(column * (depth + 1));
            let tile = Tile {
                a: pointers.as_ptr().cast(),
                taps: 1,
                k: depth,
                weights,
                c: output.wrapping_add(start + column),
                stride,
                columns: width.min(columns - column),
                low: self.clamp.low,
                high: self.clamp.high,
                prefetch: Prefetch::nothing(weights),
            };
            // SAFETY: selected for this machine; rows have `depth` values, the panel `depth` lines.
            unsafe { self.gemm.by_vectors[width / self.gemm.lanes - 1][end - first - 1](&tile) };
            column += width;
        }
        // Whole rows lie side by side, or each on its own.
        let (runs, run) =
            if stride == columns { (1, (end - first) * columns) } else { (end - first, columns) };
        // SAFETY: the tile's rows, just written by this thread.
        unsafe { posts.apply(self.map, output, (start, stride), (runs, run)) };
    }

    /// Puts both inputs into the form that tiles read.
    fn prepare(&self, cx: &Run<'_>) -> Result<()> {
        let (Sizes { rows, depth, .. }, [a_view, b_view, _]) = (self.sizes, &self.views);
        let [a, b] = self.inputs.map(|id| Shared::new(cx.place::<f32>(id)));
        let packed = Shared::new(cx.scratch::<f32>());
        let panels = self.panels();
        cx.parallel_for(
            b_view.starts.count() * panels,
            super::grain(16 * depth * self.gemm.nr()),
            |range| {
                for item in range {
                    let (m, p) = (item / panels, item % panels);
                    // SAFETY: the host's tensors have the shapes that the step was built for; each panel is one thread's.
                    unsafe {
                        self.pack(
                            p,
                            b.get().add(b_view.starts.of(m)),
                            packed.get().add(m * self.packed_len()),
                        );
                    }
                }
            },
        )?;
        if self.turned_len() == 0 {
            return Ok(());
        }
        let turned = Shared::new(packed.get().wrapping_add(b_view.starts.count() * self.packed_len()));
        cx.parallel_for(a_view.starts.count(), super::grain(4 * rows * depth), |range| {
            for m in range {
                // SAFETY: as above; each matrix is one thread's.
                unsafe { self.turn(m, a.get(), turned.get().add(m * rows * depth)) };
            }
        })
    }
}

impl Step for MatMulF32 {
    fn name(&self) -> &'static str {
        "BATCH_MATMUL"
    }

    fn scratch(&self) -> usize {
        (self.views[1].starts.count() * self.packed_len() + self.turned_len()) * size_of::<f32>()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        self.prepare(cx)?;
        let (Sizes { rows, depth, columns, .. }, [a_view, b_view, c_view]) = (self.sizes, &self.views);
        let packed = Shared::new(cx.scratch::<f32>());
        let output = Shared::new(cx.place::<f32>(self.output));
        let (first, row) = match self.turned_len() {
            0 => (cx.place::<f32>(self.inputs[0]), a_view.row),
            _ => (packed.get().wrapping_add(b_view.starts.count() * self.packed_len()), depth),
        };
        let a = Shared::new(first);
        let posts = post::bind(&self.posts, cx);
        let tiles = self.tiles();
        let cost = rows * depth * columns / tiles;
        cx.parallel_for(self.batches.count() * tiles, super::grain(cost), |range| {
            for item in range {
                let (product, t) = (item / tiles, item % tiles);
                let [m, n] = self.batches.of(product);
                let start = if self.turned_len() == 0 { a_view.starts.of(m) } else { m * rows * depth };
                // SAFETY: as above; each tile is one thread's.
                unsafe {
                    let packed = packed.get().add(n * self.packed_len());
                    let to = (output.get(), c_view.starts.of(product));
                    self.tile(t, (a.get().add(start), row), packed, to, &posts);
                }
            }
        })
    }
}
