//! Sums, means and extremes of `f32` along any axes: one pass for each group of neighbouring axes, the innermost first.
//!
//! ```text
//! [outer, rows, inner] ─► [outer, inner]     inner = 1: each row on its own; else all columns of rows at once
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::f32_fold::{Fold, Folds};
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Columns that one thread does at a time.
const COLUMNS: usize = 64;
/// Rows that are worth being folded in parts first.
const MANY: usize = 512;

/// `[outer, rows, inner]` becomes `[outer, inner]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Matrices.
    pub outer: usize,
    /// Rows of each, which become one.
    pub rows: usize,
    /// Columns.
    pub inner: usize,
}

/// Folds along some axes.
pub struct FoldF32 {
    folds: &'static Folds,
    fold: Fold,
    passes: Vec<Pass>,
    /// What sums are divided by.
    divisor: f32,
    /// Elements of the larger of two buffers between passes.
    between: usize,
    input: Id,
    output: Id,
}

/// The passes over a tensor of `shape` that fold the axes that are `folded`; none if that leaves all elements as they are.
pub fn passes(shape: &[usize], folded: &[bool]) -> Vec<Pass> {
    let mut groups: Vec<(usize, bool)> = Vec::new();
    for (&size, &folded) in shape.iter().zip(folded).filter(|&(&size, _)| size != 1) {
        match groups.last_mut() {
            Some(group) if group.1 == folded => group.0 *= size,
            _ => groups.push((size, folded)),
        }
    }
    let mut passes = Vec::new();
    while let Some(at) = groups.iter().rposition(|group| group.1) {
        let (rows, _) = groups.remove(at);
        let outer: usize = groups[..at].iter().map(|group| group.0).product();
        let inner: usize = groups[at..].iter().map(|group| group.0).product();
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

/// How many equal parts to fold so many rows in.
fn parts(rows: usize) -> usize {
    if rows < MANY { 1 } else { (8..=64).rev().find(|parts| rows.is_multiple_of(*parts)).unwrap_or(1) }
}

impl FoldF32 {
    /// One pass at least.
    pub fn new(
        folds: &'static Folds,
        fold: Fold,
        passes: Vec<Pass>,
        divisor: f32,
        (input, output): (Id, Id),
    ) -> Self {
        let last = passes.len().saturating_sub(1);
        let between = passes[..last].iter().map(|pass| pass.outer * pass.inner).max().unwrap_or(0);
        FoldF32 { folds, fold, passes, divisor, between, input, output }
    }

    fn pass(&self, cx: &Run<'_>, pass: &Pass, divisor: f32, x: Shared<f32>, y: Shared<f32>) -> Result<()> {
        let Pass { outer, rows, inner } = *pass;
        let chunks = inner.div_ceil(COLUMNS);
        let grain = super::grain(rows * COLUMNS.min(inner));
        cx.parallel_for(outer * chunks, grain, |range| {
            if inner == 1 {
                for i in range.clone() {
                    // SAFETY: row `i` of the source, result `i`.
                    unsafe { *y.get().add(i) = self.folds.row(self.fold)(rows, x.get().add(i * rows)) };
                }
            } else {
                for item in range.clone() {
                    let (o, from) = (item / chunks, item % chunks * COLUMNS);
                    let n = COLUMNS.min(inner - from);
                    // SAFETY: `n` columns of matrix `o`.
                    unsafe {
                        let (x, y) = (x.get().add(o * rows * inner + from), y.get().add(o * inner + from));
                        self.folds.columns(self.fold)(rows, inner, n, x, y);
                    }
                }
            }
            if divisor != 1.0 {
                let at = |item: usize| item / chunks * inner + (item % chunks * COLUMNS).min(inner);
                let (first, end) = (at(range.start), at(range.end));
                // SAFETY: what this thread has just written.
                let y = unsafe { std::slice::from_raw_parts_mut(y.get().add(first), end - first) };
                y.iter_mut().for_each(|y| *y /= divisor);
            }
        })
    }
}

impl Step for FoldF32 {
    fn name(&self) -> &'static str {
        match self.fold {
            Fold::Sum => "sum",
            Fold::Max => "largest",
            Fold::Min => "smallest",
        }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let mut x = Shared::new(cx.place::<f32>(self.input));
        for (i, pass) in self.passes.iter().enumerate() {
            let last = i + 1 == self.passes.len();
            let y = match last {
                true => cx.place::<f32>(self.output),
                false => cx.scratch::<f32>().wrapping_add(i % 2 * self.between),
            };
            let y = Shared::new(y);
            self.pass(cx, pass, if last { self.divisor } else { 1.0 }, x, y)?;
            x = y;
        }
        Ok(())
    }

    fn scratch(&self) -> usize {
        2 * self.between * size_of::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_become_passes() {
        let pass = |outer, rows, inner| Pass { outer, rows, inner };
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
