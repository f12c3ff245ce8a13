//! BATCH_MATMUL: f32, products of matrices that are both known at run time only; batches broadcast.

use arenite_abi::prelude::*;
use arenite_abi::schema::BatchMatMulOptions;

use super::{Source, expect_elements};
use crate::{Common, EpilogueOp, Node};

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
    pub starts: Vec<usize>,
    /// Elements from one row to the next.
    pub row: usize,
    /// Elements from one column to the next.
    pub column: usize,
}

impl View {
    /// `count` matrices of `rows × columns`, one after the other.
    pub fn whole(count: usize, rows: usize, columns: usize) -> View {
        View { starts: (0..count).map(|i| i * rows * columns).collect(), row: columns, column: 1 }
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
    /// Per product, the matrices of the first and of the second input.
    pub batches: Vec<[usize; 2]>,
    /// Of both inputs and the output, whose matrices are the products.
    pub views: [View; 3],
    /// What is added to each row of a product.
    pub bias: Option<&'a [f32]>,
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

/// The sizes of a BATCH_MATMUL's products, and per product the matrices of both inputs.
pub fn shape(x: &Source<'_, '_>) -> Result<(Sizes, Vec<[usize; 2]>)> {
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
    let batches = broadcast(a_batch, b_batch, batch)
        .ok_or_else(|| unsupported!("batches {a_batch:?} and {b_batch:?} do not give {batch:?}"))?;
    Ok((Sizes { rows, depth, columns, transposed: transpose_b }, batches))
}

/// For each index of `batch`, those of the operands.
fn broadcast(a: &[usize], b: &[usize], batch: &[usize]) -> Option<Vec<[usize; 2]>> {
    let mut list = vec![[0, 0]];
    let mut strides = [1, 1];
    for i in 0..batch.len() {
        let of = |shape: &[usize]| shape.len().checked_sub(i + 1).map_or(1, |i| shape[i]);
        let (size, sizes) = (batch[batch.len() - 1 - i], [of(a), of(b)]);
        if sizes.iter().any(|&s| s != size && s != 1) {
            return None;
        }
        let step = [0, 1].map(|o| if sizes[o] == size { strides[o] } else { 0 });
        let inner = std::mem::take(&mut list);
        for k in 0..size {
            list.extend(inner.iter().map(|at| [at[0] + k * step[0], at[1] + k * step[1]]));
        }
        strides = [strides[0] * sizes[0], strides[1] * sizes[1]];
    }
    (a.len() <= batch.len() && b.len() <= batch.len()).then_some(list)
}

impl BatchMatmul<'_> {
    /// Products of matrices that lie one after the other; whether the first ones are stored transposed.
    pub fn new(sizes: Sizes, transposed: bool, batches: Vec<[usize; 2]>) -> Self {
        let Sizes { rows, depth, columns, .. } = sizes;
        let matrices = |i: usize| batches.iter().map(|batch| batch[i] + 1).max().unwrap_or(0);
        let view = |count: usize, rows: usize, columns: usize, transposed: bool| match transposed {
            true => View::whole(count, columns, rows).transposed(),
            false => View::whole(count, rows, columns),
        };
        let views = [
            view(matrices(0), rows, depth, transposed),
            view(matrices(1), depth, columns, sizes.transposed),
            view(batches.len(), rows, columns, false),
        ];
        BatchMatmul { sizes, batches, views, bias: None, epilogue: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::broadcast;

    #[test]
    fn batches_broadcast() {
        assert_eq!(broadcast(&[], &[], &[]), Some(vec![[0, 0]]));
        assert_eq!(broadcast(&[2], &[2], &[2]), Some(vec![[0, 0], [1, 1]]));
        assert_eq!(
            broadcast(&[2, 1], &[3], &[2, 3]),
            Some(vec![[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]])
        );
        assert_eq!(broadcast(&[2], &[3], &[3]), None);
        assert_eq!(broadcast(&[1, 2], &[2], &[2]), None);
    }
}
