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

#[cfg(test)]
mod tests {
    use super::MatrixBandPart;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let band = |below: i64, above: i64, want: &[f64]| {
            for ty in [U8, I32, F16, F64, C128] {
                let bounds = [below, above].map(|k| Tensor::i64(&[], &[k]));
                let [below, above] = bounds;
                gives::<MatrixBandPart>(&[], &[of(ty, &[2, 3], &x), below, above], &[of(ty, &[2, 3], want)]);
            }
        };
        band(0, 0, &[1.0, 0.0, 0.0, 0.0, 5.0, 0.0]);
        band(0, -1, &[1.0, 2.0, 3.0, 0.0, 5.0, 6.0]);
        band(-1, 0, &[1.0, 0.0, 0.0, 4.0, 5.0, 0.0]);
        band(1, 1, &[1.0, 2.0, 0.0, 4.0, 5.0, 6.0]);
        band(-5, i64::MIN, &x);
        band(2, 3, &x);
        let inputs = [of(ElementType::Bool, &[2, 1, 2], &[1.0; 4]), int(0), int(0)];
        gives::<MatrixBandPart>(&[], &inputs, &[of(ElementType::Bool, &[2, 1, 2], &[1.0, 0.0, 1.0, 0.0])]);
        gives::<MatrixBandPart>(&[], &[of(F32, &[0, 2], &[]), int(0), int(0)], &[of(F32, &[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], below: Tensor, above: Tensor, message: &str| {
            let count = shape.iter().product::<i32>() as usize;
            refuses::<MatrixBandPart>(
                &[],
                &[of(F32, shape, &vec![0.0; count]), below, above],
                &[F32],
                message,
            );
        };
        refused(&[2], int(0), int(0), "the matrix is [2]; two axes are needed");
        refused(&[2, 3], list(&[0]), int(0), "'in1' is [1]; it must have 0 axes");
        let message = "3 diagonals below and 0 above exceed a matrix of 2 by 3";
        refused(&[2, 3], int(3), int(0), message);
    }
}
