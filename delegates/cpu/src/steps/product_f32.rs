//! Products of `f32` along one axis, in the order of the elements.
//!
//! ```text
//! [outer, folded, inner] ─► [outer, inner]     inner = 1: each row on its own; else all columns of rows at once
//! ```

use arenite_abi::prelude::*;

use super::fold_int::Shape;
use crate::kernels::StridedRows;
use crate::kernels::f32_product::Products;
use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step, StepValues};

/// Columns that are multiplied together.
const COLUMNS: usize = 64;
/// Rows that are multiplied at the same time, because each product waits for the last one.
const ROWS: usize = 8;

/// Multiplies along an axis.
pub(crate) struct ProductF32 {
    /// The kernels.
    pub products: &'static Products,
    /// Sizes.
    pub shape: Shape,
    /// The input and the output.
    pub ends: StepValues,
}

/// The products of rows of `folded` elements: up to [`ROWS`].
fn products_of_rows(x: Source<'_, f32>, folded: usize, y: &mut Target<'_, f32>) {
    let mut products = [1.0; ROWS];
    match y.len() {
        ROWS => {
            let rows: [Source<'_, f32>; ROWS] = std::array::from_fn(|row| x.part(row * folded, folded));
            (0..folded).for_each(|i| (0..ROWS).for_each(|row| products[row] *= rows[row].get(i)));
        }
        n => {
            let row = |row: usize| x.part(row * folded, folded).iter().fold(1.0, |product, x| product * x);
            products[..n].iter_mut().enumerate().for_each(|(i, product)| *product = row(i));
        }
    }
    y.copy_from(Source::of(&products[..y.len()]));
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
                    products_of_rows(x, folded, &mut y.part(i * ROWS, n));
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
