//! Products of matrices of bytes that are both known at run time only.
//!
//! ```text
//! Σ (a − za)(b − zb) = Σ a·b' + (K·zb' − Σ b')·za − zb'·Σ a        b' = b − 128, zb' = zb − 128, signed
//!                               └──── bias ─────┘   └ row ┘
//! ```
//! The second matrix is packed first, with its columns' biases, then rows of the first one meet its panels.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::ops::matrices::Batches;

use super::patches_u8::{RESULT, SPEED};
use crate::fixed_point::Factor;
use crate::kernels::u8_fold::Fold;
use crate::kernels::u8i8_gemm::{Gemm, Matrix, Product, Reach, Results, ToBytes};
use crate::memory::Shared;
use crate::program::{Run, Step};
use crate::requantize::{Bytes, Channel, Channels};
use arenite_layers::ops::batch_matmul::Sizes;

/// Most rows of a tile.
const ROWS: usize = 32;

/// Products of matrices.
pub struct MatMulU8 {
    gemm: &'static Gemm,
    fold: &'static Fold,
    sizes: Sizes,
    /// The matrices of the first and of the second input that each product has.
    batches: Batches,
    /// Zero points of both.
    zero_points: [i32; 2],
    /// A block of channels without bias.
    template: Channels,
    inputs: [Id; 2],
    output: Id,
}

impl MatMulU8 {
    /// Products whose sums are multiplied with `factor`.
    pub fn new(
        (any, fold): (&'static Gemm, &'static Fold),
        (sizes, batches): (Sizes, Batches),
        zero_points: [i32; 2],
        (factor, bytes): (Factor, Bytes),
        inputs: [Id; 2],
        output: Id,
    ) -> Self {
        let gemm = Gemm::select_for(any.isa, 1, sizes.depth);
        let template = Channels::new(gemm.lanes, &vec![Channel { bias: 0, factor }; gemm.lanes], bytes);
        MatMulU8 { gemm, fold, sizes, batches, zero_points, template, inputs, output }
    }

    /// Second matrices that there are.
    fn matrices(&self) -> usize {
        self.batches.matrices(1)
    }

    fn packed_len(&self) -> usize {
        self.gemm.packed_len(1, self.sizes.depth, self.sizes.columns).next_multiple_of(64)
    }

    /// Words of the channels of a matrix.
    fn table_len(&self) -> usize {
        self.sizes.columns.div_ceil(self.gemm.lanes) * Channels::stride(self.gemm.lanes)
    }

    fn panels(&self) -> usize {
        self.sizes.columns.div_ceil(self.gemm.nr())
    }

    /// Packs panel `p` of a matrix, and makes its channels.
    ///
    /// # Safety
    /// `b` is the matrix, `packed` and `table` have room for all of it; nobody else touches this panel.
    unsafe fn pack(&self, p: usize, b: *const u8, packed: *mut u8, table: *mut i64) {
        let Sizes { depth, columns, transposed, .. } = self.sizes;
        let from = p * self.gemm.nr();
        let width = self.gemm.panel_width(from, columns);
        let used = width.min(columns - from);
        let stride = Channels::stride(self.gemm.lanes);
        let [za, zb] = self.zero_points;
        // SAFETY: inside the matrix, its packed form and its table.
        unsafe {
            let first = b.add(if transposed { from * depth } else { from });
            let (line, column) = if transposed { (1, depth) } else { (columns, 1) };
            let matrix = Matrix { first, line, column, depth, columns: used };
            let packed = packed.add(from * self.gemm.column_bytes(1, depth));
            let sums = (self.gemm.pack_columns)(&matrix, width, packed);
            for (v, sums) in sums[..width].chunks(self.gemm.lanes).enumerate() {
                let block = table.add((from / self.gemm.lanes + v) * stride);
                std::ptr::copy_nonoverlapping(self.template.block(0), block, stride);
                for (j, &sum) in sums.iter().enumerate() {
                    *block.cast::<i32>().add(j) =
                        ((zb - 128) * depth as i32).wrapping_sub(sum).wrapping_mul(za);
                }
            }
        }
    }

    /// Computes tile `t` of a product.
    ///
    /// # Safety
    /// `a` is the first matrix, of which `readable` bytes and more of the tensor follow; `packed` and `table` are of the second one;
    /// nobody else writes these rows of `c`.
    unsafe fn tile(
        &self,
        t: usize,
        (a, readable): (*const u8, usize),
        (packed, table): (*const u8, *const i64),
        c: *mut u8,
    ) {
        let Sizes { rows, depth, columns, .. } = self.sizes;
        let (first, end) = self.gemm.part(t, rows);
        let factor = 128 - self.zero_points[1];
        let mut pointers = [const { MaybeUninit::<*const u8>::uninit() }; ROWS];
        let mut terms = [0; ROWS];
        for r in first..end {
            let row = a.wrapping_add(r * depth);
            pointers[r - first].write(row);
            // SAFETY: inside the matrix.
            terms[r - first] = factor * unsafe { (self.fold.sum)(depth, row) };
        }
        let product = Product {
            a: pointers.as_ptr().cast(),
            step: 0,
            rows: end - first,
            taps: 1,
            k: depth,
            reach: Reach::of(depth, readable - (end - 1) * depth),
            weights: packed,
            column_bytes: self.gemm.column_bytes(1, depth),
            results: Results::Bytes(ToBytes {
                channels: table,
                is_general: self.template.is_general,
                bytes: self.template.bytes,
                row_terms: terms.as_ptr(),
            }),
            c: c.wrapping_add(first * columns),
            stride: columns,
            columns,
        };
        // SAFETY: the member was selected for this machine, and a session has begun; rows have `depth` bytes, panels as many lines, and
        // the results are this call's.
        unsafe { self.gemm.multiply(&product) };
    }
}

impl Step for MatMulU8 {
    fn name(&self) -> &'static str {
        "BATCH_MATMUL"
    }

    fn scratch(&self) -> usize {
        self.matrices() * (self.packed_len() + self.table_len() * size_of::<i64>())
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Sizes { rows, depth, columns, .. } = self.sizes;
        let [a, b] = self.inputs.map(|id| Shared::new(cx.place::<u8>(id)));
        let c = Shared::new(cx.place::<u8>(self.output));
        let packed = Shared::new(cx.scratch::<u8>());
        let table = Shared::new(packed.get().wrapping_add(self.matrices() * self.packed_len()).cast::<i64>());
        let panels = self.panels();
        cx.parallel_for(self.matrices() * panels, super::grain(self.gemm.nr() * depth), |range| {
            for item in range {
                let m = item / panels;
                // SAFETY: the host's tensors have the shapes that the step was built for; each panel is one thread's.
                unsafe {
                    let packed = packed.get().add(m * self.packed_len());
                    let table = table.get().add(m * self.table_len());
                    self.pack(item % panels, b.get().add(m * depth * columns), packed, table);
                }
            }
        })?;
        let tiles = self.gemm.parts(rows);
        let all = self.batches.matrices(0) * rows * depth;
        let cost = rows * columns * (depth / SPEED + RESULT) / tiles;
        cx.parallel_for(self.batches.count() * tiles, super::grain(cost), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { self.gemm.begin() };
            for item in range {
                let product = item / tiles;
                let [first, second] = self.batches.of(product);
                let at = first * rows * depth;
                // SAFETY: as above; the second matrices are packed, and each tile is one thread's.
                unsafe {
                    let packed = packed.get().add(second * self.packed_len());
                    let table = table.get().add(second * self.table_len());
                    let c = c.get().add(product * rows * columns);
                    self.tile(item % tiles, (a.get().add(at), all - at), (packed, table), c);
                }
            }
        })
    }
}
