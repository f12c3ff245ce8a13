//! BATCH_MATMUL: f32, products of matrices that are both known at run time only; batches broadcast.

use arenite_abi::prelude::*;
use arenite_abi::schema::BatchMatMulOptions;

use super::matrices::{Batches, Starts};
use super::{Source, expect_elements};
use crate::{Clamp, Common, EpilogueOp, Node};

/// Of one product.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Rows of the first matrix.
    pub rows: usize,
    /// Columns of the first one, and rows of the second one.
    pub depth: usize,
    /// Columns of the second matrix.
    pub columns: usize,
    /// Whether the second matrix is stored as `[columns, depth]`.
    pub transposed: bool,
}

/// Matrices inside of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Where each matrix begins.
    pub starts: Starts,
    /// Elements from one row to the next.
    pub row: usize,
    /// Elements from one column to the next.
    pub column: usize,
}

impl View {
    /// `count` matrices of `rows × columns`, one after the other.
    pub fn whole(count: usize, rows: usize, columns: usize) -> View {
        View { starts: Starts::Even(count, rows * columns), row: columns, column: 1 }
    }

    /// The same matrices, transposed.
    pub fn transposed(self) -> View {
        View { row: self.column, column: self.row, ..self }
    }
}

/// Products of `f32` matrices.
pub struct BatchMatmul<'a> {
    /// Of the matrices.
    pub sizes: Sizes,
    /// The matrices of the first and of the second input that each product has.
    pub batches: Batches,
    /// Of both inputs and the output, whose matrices are the products.
    pub views: [View; 3],
    /// What is added to each row of a product.
    pub bias: Option<&'a [f32]>,
    /// What results are clamped to.
    pub clamp: Clamp,
    /// What is done to results while they are in the cache.
    pub epilogue: Vec<EpilogueOp>,
}

/// Lowers BATCH_MATMUL.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(2)?;
    let ((a, _), (b, _), (output, _)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let (sizes, batches) = shape(x)?;
    let transposed = x.node.options()?.get(BatchMatMulOptions::ADJ_X)?;
    let layer = BatchMatmul::new(sizes, transposed, batches);
    Ok(Node::new(Common::BatchMatmul(layer), vec![a, b], vec![output]))
}

/// The sizes of a BATCH_MATMUL's products, and the matrices of both inputs that meet.
pub fn shape(x: &Source<'_, '_>) -> Result<(Sizes, Batches)> {
    let ((_, a), (_, b), (_, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, b, y] {
        expect_elements(value)?;
    }
    let options = x.node.options()?;
    let (transpose_a, transpose_b) =
        (options.get(BatchMatMulOptions::ADJ_X)?, options.get(BatchMatMulOptions::ADJ_Y)?);
    let (Some((a_batch, &[a0, a1])), Some((b_batch, &[b0, b1])), Some((batch, &[y_rows, columns]))) =
        (a.shape.split_last_chunk::<2>(), b.shape.split_last_chunk::<2>(), y.shape.split_last_chunk::<2>())
    else {
        return Err(unsupported!("matrices of shapes {:?} and {:?}", a.shape, b.shape));
    };
    let (rows, depth) = if transpose_a { (a1, a0) } else { (a0, a1) };
    let (b_depth, b_columns) = if transpose_b { (b1, b0) } else { (b0, b1) };
    ensure!(
        b_depth == depth && b_columns == columns && y_rows == rows,
        "matrices of shapes {:?} and {:?} do not give {:?}",
        a.shape,
        b.shape,
        y.shape
    );
    let batches = Batches::new(a_batch, b_batch, batch)
        .ok_or_else(|| unsupported!("batches {a_batch:?} and {b_batch:?} do not give {batch:?}"))?;
    Ok((Sizes { rows, depth, columns, transposed: transpose_b }, batches))
}

impl BatchMatmul<'_> {
    /// Products of matrices that lie one after the other; whether the first ones are stored transposed.
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
