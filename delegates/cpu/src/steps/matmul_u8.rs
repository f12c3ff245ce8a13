//! Products of two matrices of bytes, neither of which is constant.
//!
//! ```text
//! Σ (a − za)(b − zb) = Σ a·b' + (K·zb' − Σ b')·za − zb'·Σ a        b' = b − 128, zb' = zb − 128, signed
//!                               └──── bias ─────┘   └ row ┘
//! ```
//! The second matrix is packed first, with its columns' biases, then rows of the first one meet its panels.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::matrices::Batches;

use crate::fixed_point::Factor;
use crate::kernels::int_fold::IntFolds;
use crate::kernels::u8i8_gemm::{Cached, Extent, Gemm, Matrix, Product, ProductSizes, Results, ToBytes};
use crate::memory::{Disjoint, Source, Target};
use crate::reach::patches_u8::{RESULT, SPEED};
use crate::requantize::{Bytes, Channel, Channels};
use crate::step::{Grain, Run, Step};
use arenite_layers::layer::batch_matmul::Sizes;

/// Most rows of a tile.
const ROWS: usize = 32;

/// Products of matrices.
pub(crate) struct MatMulU8 {
    gemm: &'static Gemm,
    fold: &'static IntFolds,
    sizes: Sizes,
    /// The matrices of both inputs for each product.
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
    pub(crate) fn new(
        (any, fold): (&'static Gemm, &'static IntFolds),
        (sizes, batches): (Sizes, Batches),
        zero_points: [i32; 2],
        (factor, bytes): (Factor, Bytes),
        inputs: [Id; 2],
        output: Id,
    ) -> Self {
        let gemm = Gemm::select_for(
            any.isa,
            ProductSizes { rows: sizes.rows, taps: 1, k: sizes.depth, columns: sizes.columns },
        );
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
    fn pack(&self, p: usize, b: Source<'_, u8>, packed: &mut Target<'_, u8>, table: &mut Target<'_, i64>) {
        let Sizes { depth, columns, transposed, .. } = self.sizes;
        let (from, width, used) = self.panel(p);
        let stride = Channels::stride(self.gemm.lanes);
        let [za, zb] = self.zero_points;
        let (line, column) = if transposed { (1, depth) } else { (columns, 1) };
        let len = (depth - 1) * line + (used - 1) * column + 1;
        let matrix = Matrix { first: b.at(from * column, len), line, column, depth, columns: used };
        // SAFETY: the member was selected for this machine. `used` columns of `depth` bytes were checked, and the panel
        // has room for its width.
        let sums = unsafe {
            let packed = packed.at(0, width * self.gemm.column_bytes(1, depth));
            (self.gemm.pack_columns)(&matrix, width, packed)
        };
        for (v, sums) in sums[..width].chunks(self.gemm.lanes).enumerate() {
            // SAFETY: a block has as many words as are between two of them.
            let template = unsafe { std::slice::from_raw_parts(self.template.block(0), stride) };
            let mut block = table.part(v * stride, stride);
            block.copy_from(Source::of(template));
            let mut biases = block.cast::<i32>();
            for (j, &sum) in sums.iter().enumerate() {
                biases.set(j, ((zb - 128) * depth as i32).wrapping_sub(sum).wrapping_mul(za));
            }
        }
    }

    /// Packs all panels of the second matrices, and makes their channels.
    fn pack_all(&self, cx: &Run<'_>, packed: Disjoint<'_, u8>, table: Disjoint<'_, i64>) -> Result<()> {
        let Sizes { depth, columns, .. } = self.sizes;
        let (b, panels, lanes) = (cx.input::<u8>(self.inputs[1]), self.panels(), self.gemm.lanes);
        let (bytes, stride) = (self.gemm.column_bytes(1, depth), Channels::stride(lanes));
        cx.parallel_for(self.matrices() * panels, Grain::of_cost(self.gemm.nr() * depth), |range| {
            for item in range {
                let (m, p) = (item / panels, item % panels);
                let (from, width, _) = self.panel(p);
                let blocks = width.div_ceil(lanes).min(self.table_len() / stride - from / lanes);
                let (at, first) = (m * self.packed_len() + from * bytes, m * self.table_len());
                // SAFETY: each panel is one thread's, and so are the blocks of its channels.
                let (mut packed, mut table) = unsafe {
                    let table = table.part(first + from / lanes * stride, blocks * stride);
                    (packed.part(at, width * bytes), table)
                };
                self.pack(p, b.part(m * depth * columns, depth * columns), &mut packed, &mut table);
            }
        })
    }

    /// The first column of a panel, how many it has, and how many of them are the matrix's.
    fn panel(&self, p: usize) -> (usize, usize, usize) {
        let from = p * self.gemm.nr();
        let width = self.gemm.panel_width(from, self.sizes.columns);
        (from, width, width.min(self.sizes.columns - from))
    }

    /// Computes `c`, the rows of a tile that starts at row `first`.
    ///
    /// # Safety
    /// This thread must have begun a session. `packed` and `table` must be made of the second matrix.
    unsafe fn tile(
        &self,
        first: usize,
        (a, at): (Source<'_, u8>, usize),
        (packed, table): (Source<'_, u8>, Source<'_, i64>),
        c: &mut Target<'_, u8>,
    ) {
        let Sizes { depth, columns, .. } = self.sizes;
        let (rows, factor) = (c.len() / columns, 128 - self.zero_points[1]);
        let mut pointers = [const { MaybeUninit::<*const u8>::uninit() }; ROWS];
        let mut terms = [0; ROWS];
        for (r, (pointer, term)) in pointers.iter_mut().zip(&mut terms).take(rows).enumerate() {
            let row = a.part(at + (first + r) * depth, depth);
            pointer.write(row.at(0, depth));
            *term = factor * self.fold.bytes.sum_of(row);
        }
        let product = Product {
            a: pointers.as_ptr().cast(),
            step: 0,
            rows,
            taps: 1,
            k: depth,
            reach: Extent::of(depth, a.len() - at - (first + rows - 1) * depth),
            weights: packed.at(0, self.packed_len()),
            cached: Cached::of(self.packed_len()),
            column_bytes: self.gemm.column_bytes(1, depth),
            results: Results::Bytes(ToBytes::new(
                &self.template,
                table.at(0, self.table_len()),
                terms.as_ptr(),
            )),
            c: c.at(0, rows * columns),
            stride: columns,
            columns,
        };
        // SAFETY: the member was selected for this machine, and a session has begun; each row has a pointer to its
        // `depth` bytes and a term, the panels are packed as the caller says, and `c` are the results.
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
        let (packed, rest) = cx.scratch().take::<u8>(self.matrices() * self.packed_len());
        let (table, _) = rest.take::<i64>(self.matrices() * self.table_len());
        let (packed, table) = (packed.share(), table.share());
        self.pack_all(cx, packed, table)?;
        let a = cx.input::<u8>(self.inputs[0]);
        let tiles = self.gemm.parts(rows);
        let cost = rows * columns * (depth / SPEED + RESULT) / tiles;
        let c = cx.output::<u8>(self.output).share();
        let a = a.part(0, self.batches.matrices(0) * rows * depth);
        cx.parallel_for(self.batches.count() * tiles, Grain::of_cost(cost), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { self.gemm.begin() };
            for item in range {
                let product = item / tiles;
                let [of_a, of_b] = self.batches.of(product);
                let (first, end) = self.gemm.part(item % tiles, rows);
                // SAFETY: `pack_all` has finished on all threads, so panels and tables are not written any more.
                let (packed, table) = unsafe { (packed.written(), table.written()) };
                let packed = packed.part(of_b * self.packed_len(), self.packed_len());
                let table = table.part(of_b * self.table_len(), self.table_len());
                // SAFETY: each tile of rows is one thread's, whose session has begun; the second matrices are packed.
                unsafe {
                    let mut c = c.part((product * rows + first) * columns, (end - first) * columns);
                    self.tile(first, (a, of_a * rows * depth), (packed, table), &mut c);
                }
            }
        })
    }
}
