//! Products of matrices that are both computed at run time.

use arenite_base::Clamp;

use super::epilogue::EpilogueOp;
use super::matrices::{Batches, Starts};

/// The sizes of one product.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Rows of the first matrix.
    pub rows: usize,
    /// Columns of the first matrix, rows of the second matrix.
    pub depth: usize,
    /// Columns of the second matrix.
    pub columns: usize,
    /// Whether the second matrix is stored as `[columns, depth]`.
    pub transposed: bool,
}

/// Matrices inside of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The first element of each matrix.
    pub starts: Starts,
    /// The row stride in elements.
    pub row: usize,
    /// The column stride in elements.
    pub column: usize,
}

impl View {
    /// `count` consecutive matrices of `rows × columns`.
    pub fn whole(count: usize, rows: usize, columns: usize) -> View {
        View { starts: Starts::Even { count, step: rows * columns }, row: columns, column: 1 }
    }

    /// The same matrices, transposed.
    pub fn transposed(self) -> View {
        View { row: self.column, column: self.row, ..self }
    }

    /// The same `rows × columns` matrices in another tensor, which has element `at` at `map(at)`; `None` if rows and
    /// columns are not evenly spaced there.
    pub fn through(&self, [rows, columns]: [usize; 2], map: impl Fn(usize) -> usize) -> Option<View> {
        let at = |start: usize, r: usize, c: usize| map(start + r * self.row + c * self.column);
        let count = Some(self.starts.count()).filter(|count| (1..=MOST_MATRICES).contains(count))?;
        let first = self.starts.of(0);
        let origin = at(first, 0, 0);
        let step = |size: usize, next: usize| if size > 1 { next.checked_sub(origin) } else { Some(1) };
        let row = step(rows, at(first, usize::from(rows > 1), 0))?;
        let column = step(columns, at(first, 0, usize::from(columns > 1)))?;
        let mut starts = Vec::with_capacity(count);
        for start in (0..count).map(|i| self.starts.of(i)) {
            let origin = at(start, 0, 0);
            let even = |r: usize, c: usize| at(start, r, c) == origin + r * row + c * column;
            let down = (0..rows).all(|r| even(r, 0) && even(r, columns - 1));
            if !down || !(0..columns).all(|c| even(0, c) && even(rows - 1, c)) {
                return None;
            }
            starts.push(origin);
        }
        Some(View { starts: Starts::Listed(starts), row, column })
    }
}

/// The most matrices of a transposed view, which lists their first elements.
const MOST_MATRICES: usize = 1 << 12;

/// Products of `f32` matrices.
pub struct BatchMatmul<'a> {
    /// The sizes of the matrices.
    pub sizes: Sizes,
    /// The matrices of both inputs for each product.
    pub batches: Batches,
    /// The views of both inputs and the output.
    pub views: [View; 3],
    /// A row that is added to each row of a product.
    pub bias: Option<&'a [f32]>,
    /// The clamp of results.
    pub clamp: Clamp,
    /// Functions that are applied to results.
    pub epilogue: Vec<EpilogueOp>,
}

impl BatchMatmul<'_> {
    /// Products of consecutive matrices. If `transposed`, the first matrices are stored transposed.
    pub fn new(sizes: Sizes, transposed: bool, batches: Batches) -> Self {
        let Sizes { rows, depth, columns, .. } = sizes;
        let view = |count: usize, rows: usize, columns: usize, transposed: bool| match transposed {
            true => View::whole(count, columns, rows).transposed(),
            false => View::whole(count, rows, columns),
        };
        let views = [
            view(batches.matrices(0), rows, depth, transposed),
            view(batches.matrices(1), depth, columns, sizes.transposed),
            view(batches.count(), rows, columns, false),
        ];
        BatchMatmul { sizes, batches, views, bias: None, clamp: Clamp::NONE, epilogue: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use arenite_base::Dim;

    use super::*;
    use crate::layer::moves::Nest;

    #[test]
    fn heads_are_viewed_through_their_transposition() {
        let nest = |dims: [(usize, isize); 3]| {
            let dims = dims.map(|(size, from)| Dim { size, from, to: 0 }).to_vec();
            Nest { from: 0, to: 0, dims }
        };
        let seen = |view: View, size: [usize; 2], nest: &Nest| view.through(size, |at| nest.source(at));
        // [5 positions, 3 heads, 4 values] as 3 matrices of 5 × 4, and of 4 × 5.
        let heads = nest([(3, 4), (5, 12), (4, 1)]);
        let starts = || Starts::Listed(vec![0, 4, 8]);
        let found = seen(View::whole(3, 5, 4), [5, 4], &heads);
        assert_eq!(found, Some(View { starts: starts(), row: 12, column: 1 }));
        let found = seen(View::whole(3, 4, 5), [4, 5], &nest([(3, 4), (4, 1), (5, 12)]));
        assert_eq!(found, Some(View { starts: starts(), row: 1, column: 12 }));
        // Each head twice.
        let found = seen(View::whole(6, 5, 4), [5, 4], &nest([(3, 20), (2, 0), (20, 1)]));
        let starts = Starts::Listed(vec![0, 0, 20, 20, 40, 40]);
        assert_eq!(found, Some(View { starts, row: 4, column: 1 }));
        // Matrices that cross the dimensions.
        assert_eq!(seen(View::whole(6, 5, 2), [5, 2], &heads), None);
    }
}
