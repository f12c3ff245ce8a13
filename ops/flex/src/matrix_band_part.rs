//! MatrixBandPart: sets the elements outside a band of diagonals to zero; a negative number of diagonals keeps them
//! all. Any type. Inputs: matrices, below, above.
//! Defined by: tensorflow/core/kernels/linalg/matrix_band_part_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_rank, integer};
use crate::kit::node_def::NodeDef;

/// The `FlexMatrixBandPart` op.
pub type MatrixBandPart = Node<Definition>;

/// Shape function and kernel of `FlexMatrixBandPart`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexMatrixBandPart";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        expect_rank(&call.input(1)?, 0)?;
        expect_rank(&call.input(2)?, 0)?;
        ensure!(dims.rank() >= 2, "the matrix is {:?}; two axes are needed", dims.as_slice());
        let (below, above) = (integer(&call.input(1)?)?, integer(&call.input(2)?)?);
        let [rows, columns] = [2, 1].map(|i| dims.size(dims.rank() - i));
        ensure!(
            below <= rows as i64 && above <= columns as i64,
            "{below} diagonals below and {above} above exceed a matrix of {rows} by {columns}"
        );
        let (rows, columns) = (rows.max(1), columns.max(1));
        pick(call, 0, &[call.input(0)?], |k| {
            let (row, column) = ((k / columns % rows) as i64, (k % columns) as i64);
            let inside = (below < 0 || row - column <= below) && (above < 0 || column - row <= above);
            inside.then_some((0, k))
        })
    }
}
