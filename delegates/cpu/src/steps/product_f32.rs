//! Products of `f32` along one axis, in the order of the elements.
//!
//! ```text
//! [outer, folded, inner] ─► [outer, inner]     inner = 1: each row on its own; else all columns of rows at once
//! ```

use arenite_abi::prelude::*;

use super::fold_int::Shape;
use crate::kernels::StridedRows;
use crate::kernels::f32_product::Products;
use crate::kernels::transpose::{Matrix, Transpose};
use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step, StepValues};

/// Columns that are multiplied together.
const COLUMNS: usize = 64;
/// Rows that are transposed and multiplied together, and the elements of each that are.
const ROWS: usize = 16;
const BLOCK: usize = 64;

/// Multiplies along an axis.
pub(crate) struct ProductF32 {
    /// The kernels.
    pub products: &'static Products,
    /// Transposes elements.
    pub transpose: &'static Transpose,
    /// Sizes.
    pub shape: Shape,
    /// The input and the output.
    pub ends: StepValues,
}

impl ProductF32 {
    /// The products of up to [`ROWS`] rows.
    fn rows(&self, x: Source<'_, f32>, y: &mut Target<'_, f32>) {
        let (n, folded) = (y.len(), self.shape.folded);
        // The products so far, then the next elements of all rows.
        let mut room = [1.0; ROWS * (BLOCK + 1)];
        for first in (0..folded).step_by(BLOCK) {
            let len = BLOCK.min(folded - first);
            let matrix = Matrix {
                from: x.at(first, (n - 1) * folded + len).cast(),
                from_row: folded as isize,
                to: room[ROWS..ROWS * (1 + len)].as_mut_ptr().cast(),
                to_row: ROWS as isize,
                rows: n,
                columns: len,
            };
            // SAFETY: the transposition of elements of 4 bytes was selected for this machine. `at` checked the source,
            // and there is room for `len` rows of `ROWS ≥ n` elements.
            unsafe { (self.transpose.transpose)(&matrix) };
            let rows = StridedRows { count: 1 + len, stride: ROWS };
            self.products.of_columns(Source::of(&room), rows, y);
            Target::of(&mut room[..n]).copy_from(y.written());
        }
    }
}

impl Step for ProductF32 {
    fn name(&self) -> &'static str {
        "product"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Shape { folded, inner, .. } = self.shape;
        let (x, y) = (cx.input::<f32>(self.ends.input), cx.output::<f32>(self.ends.output));
        if inner == 1 {
            return cx.parallel_parts(y, ROWS, Grain::of_cost(ROWS * folded), |groups, mut y| {
                for (i, group) in groups.enumerate() {
                    let n = ROWS.min(y.len() - i * ROWS);
                    let x = x.part(group * ROWS * folded, n * folded);
                    self.rows(x, &mut y.part(i * ROWS, n));
                }
            });
        }
        let (chunks, y) = (inner.div_ceil(COLUMNS), y.share());
        let grain = Grain::of_cost(folded * COLUMNS.min(inner));
        cx.parallel_for(self.shape.outer * chunks, grain, |range| {
            for item in range {
                let (o, first) = (item / chunks, item % chunks * COLUMNS);
                let n = COLUMNS.min(inner - first);
                // SAFETY: each item has its own results, and is one thread's.
                let mut y = unsafe { y.part(o * inner + first, n) };
                let x = x.part(o * folded * inner + first, (folded - 1) * inner + n);
                self.products.of_columns(x, StridedRows { count: folded, stride: inner }, &mut y);
            }
        })
    }
}
