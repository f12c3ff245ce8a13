//! Products of `f32` along one axis, in the order of the elements.
//!
//! ```text
//! [outer, folded, inner] ─► [outer, inner]     inner = 1: each row on its own; else all columns of rows at once
//! ```

use arenite_abi::prelude::*;

use super::fold_int::Shape;
use crate::kernels::StridedRows;
use crate::kernels::f32_product::Products;
use crate::step::{Grain, Run, Step, StepValues};

/// Columns that are multiplied together.
const COLUMNS: usize = 64;

/// Multiplies along an axis.
pub(crate) struct ProductF32 {
    /// The kernels.
    pub products: &'static Products,
    /// Sizes.
    pub shape: Shape,
    /// The input and the output.
    pub ends: StepValues,
}

impl Step for ProductF32 {
    fn name(&self) -> &'static str {
        "product"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Shape { folded, inner, .. } = self.shape;
        let (x, y) = (cx.input::<f32>(self.ends.input), cx.output::<f32>(self.ends.output));
        if inner == 1 {
            return cx.parallel_parts(y, 1, Grain::of_cost(folded), |rows, mut y| {
                self.products.of_rows(x.part(rows.start * folded, rows.len() * folded), folded, &mut y);
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
