//! Rows of `f32` scaled to length 1.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::L2Norm;

use crate::step::{Grain, Run, Step};

/// Divides each row by its length.
pub(crate) struct L2NormF32 {
    /// Elements of a row, at least 1.
    pub depth: usize,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for L2NormF32 {
    fn name(&self) -> &'static str {
        "L2_NORMALIZATION"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (x, n) = (cx.input::<f32>(self.input), self.depth);
        cx.parallel_parts(cx.output::<f32>(self.output), n, Grain::of_cost(4 * n), |rows, mut y| {
            let x = x.part(rows.start * n, y.len());
            for (row, y) in y.as_mut_slice().chunks_exact_mut(n).enumerate() {
                let at = |i: usize| x.get(row * n + i);
                let length = (0..n).map(at).fold(0.0, |sum, x| sum + x * x).sqrt();
                let length = if length < L2Norm::LEAST { L2Norm::LEAST } else { length };
                y.iter_mut().enumerate().for_each(|(i, y)| *y = at(i) / length);
            }
        })
    }
}
