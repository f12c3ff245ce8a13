//! BATCH_MATMUL: f32, matrices that are both computed at run time; batches broadcast.

use arenite_abi::prelude::*;
use arenite_abi::schema::BatchMatMulOptions;

use super::source::{Source, expect_elements};
use crate::layer::batch_matmul::Sizes;
use crate::layer::matrices::Batches;
use crate::layer::{BatchMatmul, Common};
use crate::net::Node;

/// Lowers BATCH_MATMUL.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(2)?;
    let ((a, _), (b, _), (output, _)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let (sizes, batches) = shape(x)?;
    let transposed = x.node.options()?.get(BatchMatMulOptions::ADJ_X)?;
    let layer = BatchMatmul::new(sizes, transposed, batches);
    Ok(Node::new(Common::BatchMatmul(layer), vec![a, b], vec![output]))
}

/// The sizes of a BATCH_MATMUL's products, and the matrices of both inputs.
///
/// # Errors
/// The shapes or options of the node do not fit a product.
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
