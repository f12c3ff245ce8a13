//! Sums, means and extremes of `f32` along any axes: one pass for each group of neighbouring axes, the innermost first.
//!
//! ```text
//! [outer, rows, inner] ─► [outer, inner]     inner = 1: each row on its own; else all columns of rows at once
//! ```

use arenite_abi::prelude::*;
use arenite_base::Reduction;
use arenite_layers::Id;

use crate::kernels::StridedRows;
use crate::kernels::f32_fold::Folds;
use crate::memory::{Disjoint, LINE, Source};
use crate::step::{Grain, Run, Step, StepValues};

/// Columns that one thread does at a time.
const COLUMNS: usize = 64;
/// Rows that are worth being folded in parts first.
const MANY: usize = 512;

/// `[outer, rows, inner]` becomes `[outer, inner]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    /// Matrices.
    pub outer: usize,
    /// Rows of each, which become one.
    pub rows: usize,
    /// Columns.
    pub inner: usize,
}

/// Folds along some axes.
pub(crate) struct FoldF32 {
    folds: &'static Folds,
    fold: Reduction,
    passes: Vec<Pass>,
    /// Of the source.
    axes: Vec<Axis>,
    /// Sums are divided by this.
    divisor: f32,
    /// Elements of the larger of two buffers between passes.
    between: usize,
    input: Id,
    output: Id,
}

/// Axes of a tensor side by side, as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    size: usize,
    is_folded: bool,
}

/// The axes of a tensor of `shape` of which those are folded that are `folded`.
pub(crate) fn axes(shape: &[usize], folded: &[bool]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for (&size, &is_folded) in shape.iter().zip(folded).filter(|&(&size, _)| size != 1) {
        match axes.last_mut() {
            Some(axis) if axis.is_folded == is_folded => axis.size *= size,
            _ => axes.push(Axis { size, is_folded }),
        }
    }
    axes
}

/// The passes that fold these axes, the innermost first. There are no passes if no axis has to be folded.
fn passes(axes: &[Axis]) -> Vec<Pass> {
    let (mut axes, mut passes) = (axes.to_vec(), Vec::new());
    while let Some(at) = axes.iter().rposition(|axis| axis.is_folded) {
        let rows = axes.remove(at).size;
        let [outer, inner] =
            [&axes[..at], &axes[at..]].map(|axes| axes.iter().map(|axis| axis.size).product::<usize>());
        let parts = parts(rows);
        if outer * inner.div_ceil(COLUMNS) < 8 && inner > 1 && parts > 1 {
            passes.push(Pass { outer: outer * parts, rows: rows / parts, inner });
            passes.push(Pass { outer, rows: parts, inner });
        } else {
            passes.push(Pass { outer, rows, inner });
        }
    }
    passes
}

/// The number of equal parts in which `rows` rows are folded.
fn parts(rows: usize) -> usize {
    if rows < MANY { 1 } else { (8..=64).rev().find(|parts| rows.is_multiple_of(*parts)).unwrap_or(1) }
}

impl FoldF32 {
    /// Of a tensor with these axes, one of which at least is folded.
    pub(crate) fn new(
        folds: &'static Folds,
        fold: Reduction,
        axes: Vec<Axis>,
        divisor: f32,
        StepValues { input, output }: StepValues,
    ) -> Self {
        let passes = passes(&axes);
        let last = passes.len().saturating_sub(1);
        let between = passes[..last].iter().map(|pass| pass.outer * pass.inner).max().unwrap_or(0);
        FoldF32 { folds, fold, passes, axes, divisor, between, input, output }
    }

    fn pass(
        &self,
        cx: &Run<'_>,
        pass: &Pass,
        divisor: f32,
        x: Source<'_, f32>,
        y: Disjoint<'_, f32>,
    ) -> Result<()> {
        let Pass { outer, rows, inner } = *pass;
        let chunks = inner.div_ceil(COLUMNS);
        let grain = Grain::of_cost(rows * COLUMNS.min(inner));
        let at = |item: usize| item / chunks * inner + item % chunks * COLUMNS;
        cx.parallel_for(outer * chunks, grain, |range| {
            let (first, end) = (at(range.start), at(range.end));
            // SAFETY: items are consecutive results, and each range of items is computed by one thread.
            let mut y = unsafe { y.part(first, end - first) };
            if inner == 1 {
                self.folds.rows(self.fold, rows, x.part(first * rows, (end - first) * rows), &mut y);
            } else {
                for item in range {
                    let (o, from) = (item / chunks, item % chunks * COLUMNS);
                    let n = COLUMNS.min(inner - from);
                    let x = x.part(o * rows * inner + from, (rows - 1) * inner + n);
                    let rows = StridedRows { count: rows, stride: inner };
                    self.folds.down(self.fold, rows, x, &mut y.part(at(item) - first, n));
                }
            }
            if divisor != 1.0 {
                (0..y.len()).for_each(|i| y.set(i, y.get(i) / divisor));
            }
        })
    }
}

impl FoldF32 {
    /// Extreme number `result` of the source, element by element in memory order. Of equal elements the later one is
    /// the result; a later element also replaces NaN. NaN remains if it is the last element.
    fn extreme(&self, x: Source<'_, f32>, result: usize) -> f32 {
        let count: usize = self.axes.iter().filter(|axis| axis.is_folded).map(|axis| axis.size).product();
        let element = |i: usize| {
            let (mut kept, mut folded, mut at, mut stride) = (result, i, 0, 1);
            for axis in self.axes.iter().rev() {
                let index = if axis.is_folded { &mut folded } else { &mut kept };
                at += *index % axis.size * stride;
                *index /= axis.size;
                stride *= axis.size;
            }
            x.get(at)
        };
        let later = |so_far: f32, next: f32| match self.fold {
            Reduction::Max if so_far > next => so_far,
            Reduction::Min if so_far < next => so_far,
            _ => next,
        };
        (1..count).fold(element(0), |so_far, i| later(so_far, element(i)))
    }
}

impl Step for FoldF32 {
    fn name(&self) -> &'static str {
        match self.fold {
            Reduction::Sum => "sum",
            Reduction::Max => "largest",
            Reduction::Min => "smallest",
        }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = cx.input::<f32>(self.input);
        let mut output = cx.output::<f32>(self.output);
        let (even, rest) = cx.scratch().take::<f32>(self.between);
        let buffers = [even.share(), rest.take(self.between).0.share()];
        let mut x = input;
        let Some((last, others)) = self.passes.split_last() else { return Ok(()) };
        for (i, pass) in others.iter().enumerate() {
            self.pass(cx, pass, 1.0, x, buffers[i % 2])?;
            // SAFETY: the pass has ended on all threads; the next one writes the other buffer or the output.
            x = unsafe { buffers[i % 2].written() };
        }
        self.pass(cx, last, self.divisor, x, output.part(0, last.outer * last.inner).share())?;
        if self.fold != Reduction::Sum {
            // Kernels give NaN for numbers that are not all finite; these results are computed here.
            let open: Vec<usize> = (0..output.len()).filter(|&i| output.get(i).is_nan()).collect();
            open.into_iter().for_each(|i| output.set(i, self.extreme(input, i)));
        }
        Ok(())
    }

    fn scratch(&self) -> usize {
        2 * (self.between * size_of::<f32>()).next_multiple_of(LINE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_become_passes() {
        let pass = |outer, rows, inner| Pass { outer, rows, inner };
        let passes = |shape: &[usize], folded: &[bool]| passes(&axes(shape, folded));
        assert_eq!(passes(&[2, 3, 4], &[false, false, true]), [pass(6, 4, 1)]);
        assert_eq!(passes(&[1, 7, 7, 512], &[false, true, true, false]), [pass(1, 49, 512)]);
        assert_eq!(passes(&[2, 3, 4, 5], &[true, false, true, false]), [pass(6, 4, 5), pass(1, 2, 15)]);
        assert_eq!(passes(&[2, 3], &[true, true]), [pass(1, 6, 1)]);
        assert_eq!(passes(&[2, 1, 3], &[false, true, false]), []);
        // Many rows of few columns are folded in parts.
        assert_eq!(passes(&[112, 112, 32], &[true, true, false]), [pass(64, 196, 32), pass(1, 64, 32)]);
        assert_eq!(passes(&[521, 32], &[true, false]), [pass(1, 521, 32)]);
    }
}
