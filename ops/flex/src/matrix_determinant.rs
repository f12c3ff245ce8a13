//! MatrixDeterminant: the determinant. Reals and complex numbers; the axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/determinant_op.cc.

use arenite_abi::prelude::*;

use crate::kit::complex;
use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, lu};
use crate::kit::node_def::NodeDef;

/// The `FlexMatrixDeterminant` op.
pub type MatrixDeterminant = Node<Linear<Definition>>;

/// Shape function and kernel of `FlexMatrixDeterminant`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDeterminant";
    const INPUTS: usize = 1;

    fn new(_: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition)
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        square(inputs).map(|_| Vec::new())
    }

    fn compute(&self, mut inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let lu = lu(inputs.remove(0));
        let sign = complex::real(if lu.odd { -1.0 } else { 1.0 });
        Ok(vec![vec![lu.diagonal().fold(sign, complex::mul)]])
    }
}
