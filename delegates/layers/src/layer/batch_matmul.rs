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
}

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
