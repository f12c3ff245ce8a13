//! MatrixBandPart: matrices with zeros outside of a band; a negative number of diagonals is all. Any type. Inputs: matrices, below, above.
//! Defined by: tensorflow/core/kernels/linalg/matrix_band_part_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integer};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::pick;

/// The op.
pub type MatrixBandPart = Node<Definition>;

/// What it computes.
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
        ensure!(dims.rank() >= 2, "the matrix is {:?}; two axes are needed", dims.as_slice());
        let (below, above) = (integer(&call.input(1)?)?, integer(&call.input(2)?)?);
        let columns = dims.size(dims.rank() - 1).max(1);
        let rows = dims.size(dims.rank() - 2).max(1);
        pick(call, 0, &[call.input(0)?], |k| {
            let (row, column) = ((k / columns % rows) as i64, (k % columns) as i64);
            let inside = (below < 0 || row - column <= below) && (above < 0 || column - row <= above);
            inside.then_some((0, k))
        })
    }
}
