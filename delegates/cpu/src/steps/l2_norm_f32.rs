//! Rows of `f32` scaled to length 1.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::L2Norm;

use crate::memory::Source;
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

/// Rows whose squares are summed at the same time, because each sum waits for the last one.
const TOGETHER: usize = 8;

/// The lengths of up to [`TOGETHER`] rows of `n` elements.
#[inline(always)]
fn lengths(x: Source<'_, f32>, n: usize) -> [f32; TOGETHER] {
    let mut sums = [0.0; TOGETHER];
    let mut add = |row: usize, x: f32| sums[row] += x * x;
    match x.len() / n {
        TOGETHER => {
            let rows: [Source<'_, f32>; TOGETHER] = std::array::from_fn(|row| x.part(row * n, n));
            (0..n).for_each(|i| (0..TOGETHER).for_each(|row| add(row, rows[row].get(i))));
        }
        rows => (0..rows).for_each(|row| x.part(row * n, n).iter().for_each(|x| add(row, x))),
    }
    sums.map(|sum: f32| sum.sqrt()).map(|length| if length < L2Norm::LEAST { L2Norm::LEAST } else { length })
}

impl Step for L2NormF32 {
    fn name(&self) -> &'static str {
        "L2_NORMALIZATION"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (x, n) = (cx.input::<f32>(self.input), self.depth);
        cx.parallel_parts(cx.output::<f32>(self.output), n, Grain::of_cost(4 * n), |rows, mut y| {
            let x = x.part(rows.start * n, y.len());
            for (group, y) in y.as_mut_slice().chunks_mut(TOGETHER * n).enumerate() {
                let x = x.part(group * TOGETHER * n, y.len());
                for (row, (y, length)) in y.chunks_exact_mut(n).zip(lengths(x, n)).enumerate() {
                    y.iter_mut().zip(x.part(row * n, n).iter()).for_each(|(y, x)| *y = x / length);
                }
            }
        })
    }
}
